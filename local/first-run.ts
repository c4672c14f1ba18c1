// Fills an empty data folder at `npm start`, so that the console has something to show without an account, a key or a model: a run that
// failed at its last step and whose flow has been fixed since, one that waits for an approval, and one that ends well.
//
// It uses only the API, and a deployed Worker contains none of it. Each part is created only if it is missing, so the next start completes
// what a killed one began; a folder with any other run is left unchanged.

import { fileURLToPath } from "node:url"
import type { Bundle } from "../src/api/catalog.ts"
import { FIRST_RUN } from "../src/client/first-run.ts"
import type { Sluice } from "../src/client/sluice.ts"
import { bundleOf } from "./definition-files.ts"

const FOLDER = fileURLToPath(new URL("first-run", import.meta.url))
/** The step declares `version`. The first version of the package returns another name: this is the fault that the run ends with. */
const handler = (name: "ver" | "version"): Bundle => ({
  code: { "demo/release-notes/publish.js": `export default ({ version, notes }) => ({ ${name}: version, title: notes })\n` },
})
const VERSIONS = { first: "1", mended: "2" }

/** More rows than are made here: any further one is somebody's own. */
const LOOKED_AT = 10
const WAIT_SECONDS = 60

/** The runs that `npm start` has yet to create. */
export interface FirstRuns {
  readonly flows: ReadonlySet<string>
}

/** undefined: the folder already has other runs. A single request, so such a folder starts just as fast. */
export async function firstRuns(api: Sluice): Promise<FirstRuns | undefined> {
  const { data } = await api.runs.list({ limit: LOOKED_AT }).page()
  if (data.length === LOOKED_AT || !data.every(({ tags }) => tags.includes(FIRST_RUN.tag))) return undefined
  const made = new Set(data.map(({ flow }) => flow))
  return { flows: new Set([FIRST_RUN.failing, FIRST_RUN.asking, FIRST_RUN.ending].filter((flow) => !made.has(flow))) }
}

/** Creates the failed run and the waiting one; the caller starts `FIRST_RUN.ending` and shows it. */
export async function makeFirstRuns(api: Sluice, { flows }: FirstRuns): Promise<void> {
  if (flows.has(FIRST_RUN.failing)) {
    await api.tools.put(DEPLOYS.name, DEPLOYS.tool)
    await api.packages.put(FIRST_RUN.package, { version: VERSIONS.first, ...(await bundleOf(FOLDER)), ...handler("ver") })
    await api.flows.wait(FIRST_RUN.failing, START, WAIT_SECONDS, { idempotencyKey: startKey(FIRST_RUN.failing) })
  }
  if (flows.has(FIRST_RUN.asking))
    await api.flows.wait(FIRST_RUN.asking, START, WAIT_SECONDS, { idempotencyKey: startKey(FIRST_RUN.asking) })
  const { data } = await api.packages.list().page()
  if (data.some(({ name, version }) => name === FIRST_RUN.package && version === VERSIONS.first))
    await api.packages.put(FIRST_RUN.package, { version: VERSIONS.mended, ...(await bundleOf(FOLDER)), ...handler("version") })
}

/** The Idempotency-Key of a start, so that a repeated start is one run. */
export const startKey = (flow: string): string => `${FIRST_RUN.tag}-${flow.replace(":", "-")}`

export const START = { rehearse: true, tags: [FIRST_RUN.tag] }

/** Its answer is recorded in the rehearsal, so nothing leaves the machine. */
const DEPLOYS = {
  name: "deploys.start",
  tool: {
    description: "Starts a deploy. Part of the demo: the host is made up.",
    parameters: {
      type: "object",
      properties: { env: { type: "string" }, build: { type: "string" } },
      required: ["env"],
      additionalProperties: false,
    },
    request: { method: "POST", url: "https://deploys.example.com/v2/deploys", body: { env: "${{args.env}}", build: "${{args.build}}" } },
    effect: "write",
    approval: "always",
    untrusted: false,
  },
}
