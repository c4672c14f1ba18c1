// The flows of the tenant with what a list says of each: the last run comes from the newest runs of all, and for flows that ran before these
// by themselves.

import type { CatalogFile } from "../../../src/api/doc/catalog.doc.ts"
import { pathOf } from "../flow-tests/use-flow-files.ts"
import type { Row } from "../runs/row.ts"
import type { Api } from "../shell/session.ts"
import type { keptDrafts } from "./kept-drafts.ts"

export type LastRun = Pick<Row, "id" | "status" | "created" | "pending" | "now">

export interface FlowRow extends CatalogFile {
  readonly runs: number
  readonly last: LastRun | undefined
  /** It has a text in this tab that is not saved, of its own or of a file beside it. */
  readonly unsaved?: "new" | "changed"
}

/** What is not saved comes first: nobody looks for it elsewhere. */
export function withDrafts(rows: readonly FlowRow[], drafts: ReturnType<typeof keptDrafts>): readonly FlowRow[] {
  const of = new Map<string, "new" | "changed">()
  for (const { kind, id, isNew } of drafts) {
    const [flow = ""] = id.split("/")
    if (kind === "flow") of.set(flow, isNew ? "new" : "changed")
    else if (BESIDE.includes(kind) && !of.has(flow)) of.set(flow, "changed")
  }
  const known = new Set(rows.map(({ id }) => id))
  const added = [...of].flatMap(([id, unsaved]) => (unsaved === "new" && !known.has(id) ? [newRow(id)] : []))
  const marked = rows.map((row): FlowRow => {
    const unsaved = of.get(row.id)
    return unsaved === undefined ? row : { ...row, unsaved: "changed" }
  })
  return [...added, ...marked].toSorted((a, b) => Number(a.unsaved === undefined) - Number(b.unsaved === undefined))
}

/** Files of a flow besides its own. */
const BESIDE: readonly string[] = ["rehearsal", "tests", "code"]

const newRow = (id: string): FlowRow => ({
  kind: "flow",
  id,
  path: pathOf(id),
  tier: "local",
  hash: "",
  size: 0,
  diagnostics: [],
  runs: 0,
  last: undefined,
  unsaved: "new",
})

/** Runs of all flows that are read, and flows that are then asked for one by one. */
const NEWEST = 200
const MAX_SINGLE = 24

export async function flowRows(api: Api): Promise<readonly FlowRow[]> {
  const [files, counts, newest] = await Promise.all([
    api.catalog.list(),
    // The list is worth showing without them: a key may not read runs.
    api.runs.counts("flow").catch(() => undefined),
    api.runs
      .list({ limit: NEWEST })
      .page()
      .catch(() => undefined),
  ])
  const count = new Map((counts?.data ?? []).map((row) => [row.key, row.count]))
  const last = new Map<string, LastRun>()
  for (const run of newest?.data ?? []) if (!last.has(run.flow)) last.set(run.flow, run)
  const flows = files.data.filter(({ kind }) => kind === "flow")
  const older = flows.filter(({ id }) => !last.has(id) && (count.get(id) ?? 0) > 0).slice(0, MAX_SINGLE)
  await Promise.all(
    older.map(async ({ id: flow }) => {
      const found = await api.runs
        .list({ flow, limit: 1 })
        .page()
        .catch(() => undefined)
      const [run] = found?.data ?? []
      if (run) last.set(flow, run)
    }),
  )
  return flows
    .map((file) => ({ ...file, runs: count.get(file.id) ?? 0, last: last.get(file.id) }))
    .toSorted((a, b) => Number(a.tier === "built-in") - Number(b.tier === "built-in") || a.id.localeCompare(b.id))
}
