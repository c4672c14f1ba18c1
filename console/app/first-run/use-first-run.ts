// Whether the first page is the one of the first run, and what it shows: the runs that `npm start` has made, and forks of them. It is over once
// there is another run that is no rehearsal, or once it was hidden.

import type { GraphView } from "../../../src/core/flow/check/graph-view.ts"
import type { RunView } from "../../../src/core/run/views/view.ts"
import type { Asked } from "../../../src/api/doc/run/interactions.doc.ts"
import { FIRST_RUN } from "../../../src/client/first-run.ts"
import { settingsOver } from "../../../src/client/settings.ts"
import { useAsked } from "../parts/asked.ts"
import type { Row } from "../runs/row.ts"
import type { Api } from "../shell/session.ts"

const LOOKED_AT = 20
const POLL_MS = 3_000

export interface FirstRun {
  readonly rows: readonly Row[]
  readonly failing: ToldRun | undefined
  readonly asking: ToldRun | undefined
  readonly ending: ToldRun | undefined
  /** What the asking run asks. */
  readonly ask: Asked | undefined
  /** The newest fork of the failed run. */
  readonly fork: Row | undefined
  /** The call that the run that ended well was refused. */
  readonly refused: RefusedCall | undefined
}

export interface RefusedCall {
  readonly step: string
  readonly pass: number
  readonly call: string
  readonly tool: string
}

/** A run with the steps of its flow. */
export interface ToldRun {
  readonly row: Row
  readonly view: RunView
  readonly graph: GraphView
}

export type FirstRunState = { readonly is: "shown"; readonly first: FirstRun } | { readonly is: "over" }

/** undefined until the server has said. */
export function useFirstRun(api: Api): { readonly found: FirstRunState | undefined; readonly fault: string | undefined; again(): void } {
  const { value, fault, again } = useAsked(["runs", "first"], () => findFirstRun(api), { live: { pollMs: POLL_MS, slowMs: POLL_MS * 10 } })
  return { found: value, fault, again }
}

export const hideFirstRun = (api: Api): Promise<unknown> => settingsOver(api.transport).console.put({ first_run: "hidden" })

async function findFirstRun(api: Api): Promise<FirstRunState> {
  const { data: rows } = await api.runs.list({ limit: LOOKED_AT }).page()
  const made = new Set(rows.flatMap(({ id, tags }) => (tags.includes(FIRST_RUN.tag) ? [id] : [])))
  const isOwn = ({ id, fork, rehearsed }: Row): boolean => made.has(id) || rehearsed || (fork !== undefined && made.has(fork.run))
  if (made.size === 0 || rows.length === LOOKED_AT || !rows.every(isOwn)) return { is: "over" }
  // Who may not read the settings sees the page: it says nothing that the list of runs does not.
  const setting = await settingsOver(api.transport)
    .console.get()
    .catch(() => ({ first_run: undefined }))
  if (setting.first_run === "hidden") return { is: "over" }
  const rowOf = (flow: string): Row | undefined => rows.find((row) => row.flow === flow && made.has(row.id))
  const [failing, asking, ending] = await Promise.all([
    told(api, rowOf(FIRST_RUN.failing)),
    told(api, rowOf(FIRST_RUN.asking)),
    told(api, rowOf(FIRST_RUN.ending)),
  ])
  return {
    is: "shown",
    first: {
      rows,
      failing,
      asking,
      ending,
      ask: await askOf(api, asking),
      refused: ending && (await refusedIn(api, ending.row.id)),
      fork: rows.find(({ fork }) => fork !== undefined && fork.run === failing?.row.id),
    },
  }
}

async function told(api: Api, row: Row | undefined): Promise<ToldRun | undefined> {
  if (!row) return undefined
  const [view, graph] = await Promise.all([api.runs.get(row.id), api.flows.graph(row.flow)])
  return { row, view, graph }
}

/** The journal has it. What cannot be read is not pointed at. */
async function refusedIn(api: Api, run: string): Promise<RefusedCall | undefined> {
  const events = await api.runs.journal(run).catch(() => [])
  const at = events.findIndex(({ type }) => type === "tool.refused")
  const found = events[at]
  if (found?.type !== "tool.refused") return undefined
  const pass = events.slice(0, at).findLast((one) => one.type === "step.opened" && one.step === found.step)
  return { step: found.step, pass: pass?.type === "step.opened" ? pass.pass : 1, call: found.callId, tool: found.tool }
}

async function askOf(api: Api, told: ToldRun | undefined): Promise<Asked | undefined> {
  if (!told || told.row.pending === 0) return undefined
  const { data } = await api.interactions.list({ flow: told.row.flow }).page()
  return data.find(({ run }) => run === told.row.id)
}
