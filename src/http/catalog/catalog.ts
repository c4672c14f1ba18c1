// Serves the tenant's definitions [F71–F73]: raw text in and out, and the seed's `{written, path, diagnostics}` in response to a write.
//
// The catalog decides which paths and names are safe: a name that it refuses is `written: false`, and nothing changes.

import { isNamedKind } from "../../core/flow/catalog-kinds.ts"
import { accepts } from "hono/accepts"
import { codeIdOf, codePathOf } from "../../core/flow/code-file.ts"
import { isFlowId } from "../../core/text/names.ts"
import { verdict } from "../../core/diagnostic.ts"
import { short } from "../../core/text/pointer.ts"
import type { CatalogKind, WriteResult } from "../../ports/tenant/catalog.ts"
import { drawn } from "./drawn-flow.ts"
import { removing, writing } from "./past-gate.ts"
import { json, text } from "../middleware/body.ts"
import { param, routes, type Call, type Handler } from "../middleware/call.ts"
import { ifMatch, stale } from "../middleware/conditions.ts"
import { refusedInUse } from "../middleware/in-use.ts"
import { notFoundNear } from "../middleware/near.ts"
import { matches } from "../middleware/download.ts"
import { faultOf, invalid, NOT_FOUND, refuse, type Refusal } from "../middleware/problem.ts"
import { page } from "../middleware/page.ts"
import { whole } from "../middleware/query.ts"
import { catalog, ValidateBody } from "../../api/catalog.ts"
import { defined } from "../../core/defined.ts"

/** A kind of definition: its id in a URL, its default path, its media type. */
export interface Shelf {
  readonly kind: CatalogKind
  readonly id: (c: Call) => string
  readonly path: (id: string, c: Call) => string
  readonly type: (path: string) => string
}

const flowFile = (id: string): string => `flows/${id.replaceAll(":", "/")}`

const FLOWS: Shelf = {
  kind: "flow",
  id: (c) => param(c, "flow"),
  path: (id) => `${flowFile(id)}.yaml`,
  type: () => "application/yaml",
}
const REHEARSALS: Shelf = { ...FLOWS, kind: "rehearsal", path: (id) => `${flowFile(id)}.rehearsal.yaml` }
/** [K20] */
const TESTS: Shelf = { ...FLOWS, kind: "test", path: (id) => `${flowFile(id)}.test.yaml` }
const AGENTS: Shelf = { kind: "agent", id: (c) => param(c, "agent"), path: (id) => `agents/${id}.md`, type: () => "text/markdown" }
const SKILLS: Shelf = {
  kind: "skill",
  id: (c) => `${param(c, "skill")}/${param(c, "file")}`,
  path: (id) => `skills/${id}`,
  type: (path) => (path.endsWith(".md") ? "text/markdown" : "text/plain"),
}
/** [F24] TypeScript, unless the content type says JavaScript. */
const HANDLERS: Shelf = {
  kind: "code",
  id: (c) => codeIdOf(param(c, "flow"), param(c, "step")),
  path: (_, c) => codePathOf(param(c, "flow"), param(c, "step"), /javascript/i.test(c.req.header("content-type") ?? "") ? "js" : "ts"),
  type: (path) => (path.endsWith(".js") ? "text/javascript" : "text/typescript"),
}

const listOf =
  (shelf: Shelf): Handler =>
  async (c) => {
    const { revision, data } = await c.get("tenant").catalog.files(shelf.kind)
    return page(c, data, { revision })
  }

export const read =
  (shelf: Shelf): Handler =>
  async (c) => {
    const id = shelf.id(c)
    const port = c.get("tenant").catalog
    const revision = revisionOf(c)
    if (!revision.ok) return refuse(c, (await port.read(shelf.kind, id)) ? revision.error : NOT_FOUND)
    const found = await port.read(shelf.kind, id, revision.value)
    if (!found) return shelf.kind === "flow" || shelf.kind === "agent" ? notFoundNear(c, shelf.kind, id) : refuse(c, NOT_FOUND)
    const etag = `"${found.hash}"`
    if (matches(c.req.header("if-none-match"), etag)) return new Response(null, { status: 304, headers: { etag } })
    const type = shelf.type(found.path)
    const wanted = accepts(c, { header: "Accept", supports: [type, "application/json"], default: type })
    if (wanted !== "application/json") return new Response(found.content, { headers: { "content-type": `${wanted}; charset=utf-8`, etag } })
    const { path, tier, hash, content, diagnostics } = found
    return c.json({ id: found.id, path, tier, ...defined({ package: found.package }), hash, content, diagnostics }, 200, { etag })
  }

/** [F72] `?revision=N`: the file as it was then. */
export function revisionOf(c: Call): ReturnType<typeof whole> | { readonly ok: true; readonly value: undefined } {
  const given = c.req.query("revision")
  return given === undefined
    ? { ok: true, value: undefined }
    : whole("revision", given, { min: 0, max: Number.MAX_SAFE_INTEGER, otherwise: 0 })
}

export const write =
  (shelf: Shelf): Handler =>
  async (c) => {
    const id = shelf.id(c)
    const flow = shelf === HANDLERS || shelf.id === FLOWS.id ? param(c, "flow") : undefined
    if (flow !== undefined && !isFlowId(flow)) {
      return refuse(
        c,
        invalid([
          {
            pointer: "",
            message: `${JSON.stringify(short(flow))} is not a flow id: use letters, digits, "_" and "-", with folders joined by ":"`,
          },
        ]),
      )
    }
    const content = text(c)
    if (!content.ok) return refuse(c, content.error)
    const condition = ifMatch(c)
    if (!condition.ok) return refuse(c, condition.error)
    const ports = writing(c)
    if (!ports.ok) return ports.error
    const port = ports.value.catalog
    // [F5] A flow may be in a folder, and a handler may be JavaScript: an existing file is written at its path.
    const stored = shelf.kind === "flow" || shelf.kind === "test" || shelf.kind === "code" ? await port.read(shelf.kind, id) : undefined
    const path = stored?.tier === "local" ? stored.path : shelf.path(id, c)
    const result = await port.put(shelf.kind, path, content.value, condition.value)
    if ("stale" in result) return stale(c, result.stale)
    if (!result.written) return refuse(c, notWritten(result))
    return c.json(seedShape(result), 200, result.hash === undefined ? {} : { etag: `"${result.hash}"` })
  }

export const remove =
  (shelf: Shelf): Handler =>
  async (c) => {
    const id = shelf.id(c)
    const port = removing(c).catalog
    const condition = ifMatch(c)
    if (!condition.ok) return refuse(c, (await port.read(shelf.kind, id)) ? condition.error : NOT_FOUND)
    // [F73] A stale tag is told first.
    const isFresh = condition.value === undefined || condition.value === "*" || (await port.read(shelf.kind, id))?.hash === condition.value
    const inUse = isFresh && isNamedKind(shelf.kind) ? await refusedInUse(c, shelf.kind, id) : undefined
    if (inUse) return inUse
    const gone = await port.remove(shelf.kind, id, condition.value)
    if (typeof gone !== "boolean") return stale(c, gone.stale)
    return gone ? c.body(null, 204) : refuse(c, NOT_FOUND)
  }

/** The seed's answer to a write. */
const seedShape = (result: WriteResult) => ({
  written: result.written,
  path: result.path,
  diagnostics: result.diagnostics,
  ...defined({ error: result.error }),
})

export function notWritten(result: WriteResult): Refusal {
  const errors = result.diagnostics.filter((d) => d.severity === "error").map((d) => faultOf(d))
  const detail = result.error ?? (errors.map((e) => `line ${e.line}: ${e.message}`).join("; ") || "The catalog refused the file.")
  return { code: "not_written", detail, errors, more: seedShape(result) }
}

/** [F2] Every fault at once; an invalid file is a 200 with `valid: false`. */
export async function validate(c: Call): Promise<Response> {
  const body = json(c, ValidateBody)
  if (!body.ok) return refuse(c, body.error)
  const { kind, content, path } = body.value
  const found = verdict(await c.get("tenant").catalog.validate(kind, content, path))
  // An editor draws what is written, before it is stored. The name of the flow is in no graph.
  const graph = kind === "flow" ? (await drawn(content, "unnamed")).graph : undefined
  return c.json({ ...found, ...defined({ graph }) })
}

export const DEFINITION_ROUTES = routes(catalog, {
  listFlows: listOf(FLOWS),
  getFlow: read(FLOWS),
  putFlow: write(FLOWS),
  deleteFlow: remove(FLOWS),
  getRehearsal: read(REHEARSALS),
  putRehearsal: write(REHEARSALS),
  deleteRehearsal: remove(REHEARSALS),
  getTests: read(TESTS),
  putTests: write(TESTS),
  deleteTests: remove(TESTS),
  listAgents: listOf(AGENTS),
  getAgent: read(AGENTS),
  putAgent: write(AGENTS),
  deleteAgent: remove(AGENTS),
  listSkillFiles: listOf(SKILLS),
  getSkillFile: read(SKILLS),
  putSkillFile: write(SKILLS),
  deleteSkillFile: remove(SKILLS),
  getHandler: read(HANDLERS),
  putHandler: write(HANDLERS),
  deleteHandler: remove(HANDLERS),
  validate,
})
