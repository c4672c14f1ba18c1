// Serves scorers [V1] like other definitions: raw text in and out.

import { scorers } from "../../api/quality/scorers.ts"
import { read, remove, write, type Shelf } from "../catalog/catalog.ts"
import { builtInScorer } from "../../core/score/built-in.ts"
import { param, routes, type Call, type Handler } from "../middleware/call.ts"
import { page } from "../middleware/page.ts"
import { NOT_FOUND, refuse } from "../middleware/problem.ts"

const SCORERS: Shelf = {
  kind: "scorer",
  id: (c) => param(c, "scorer"),
  path: (id) => `scorers/${id}.yaml`,
  type: () => "application/yaml",
}
/** [V5] TypeScript, unless the content type says JavaScript. */
const HANDLERS: Shelf = {
  kind: "scorer-code",
  id: SCORERS.id,
  path: (id, c) => `scorers/${id}.${/javascript/i.test(c.req.header("content-type") ?? "") ? "js" : "ts"}`,
  type: (path) => (path.endsWith(".js") ? "text/javascript" : "text/typescript"),
}

const list = async (c: Call): Promise<Response> => page(c, await c.get("tenant").scores.scorers())

/** [V8] One that is built in has no file. */
const readScorer: Handler = async (c) => {
  const name = param(c, "scorer")
  const port = c.get("tenant")
  if (builtInScorer(name) === undefined || (await port.catalog.read("scorer", name))) return read(SCORERS)(c)
  const row = (await port.scores.scorers()).find((one) => one.name === name)
  return row ? c.json(row) : refuse(c, NOT_FOUND)
}

export const SCORER_ROUTES = routes(scorers, {
  listScorers: list,
  getScorer: readScorer,
  putScorer: write(SCORERS),
  deleteScorer: remove(SCORERS),
  getScorerCode: read(HANDLERS),
  putScorerCode: write(HANDLERS),
})
