// Says which runs a policy is tried on: the newest that called tools, some of every flow. The items of a map would crowd out all others, so a flow has
// its next run only after each other flow has had one; and a child's calls count with the run that began it.

export interface ListedRun {
  readonly id: string
  readonly flow: string
  readonly calls: number
  /** The run that started this one. */
  readonly parent?: string | undefined
}

export interface PickedRun {
  readonly id: string
  /** The run at the top, or the highest that is listed. */
  readonly root: string
}

/** `rows`: the newest first. */
export function pickRuns(rows: readonly ListedRun[], most: number): readonly PickedRun[] {
  const byId = new Map(rows.map((row) => [row.id, row]))
  const rootOf = ({ id, parent }: ListedRun): string => {
    let root = id
    for (let above = parent; above !== undefined; above = byId.get(above)?.parent) root = above
    return root
  }
  const byFlow = new Map<string, ListedRun[]>()
  for (const row of rows) if (row.calls > 0) byFlow.set(row.flow, [...(byFlow.get(row.flow) ?? []), row])
  const picked: ListedRun[] = []
  for (let turn = 0; picked.length < most; turn++) {
    const next = [...byFlow.values()].flatMap((of) => of[turn] ?? [])
    if (next.length === 0) break
    picked.push(...next.slice(0, most - picked.length))
  }
  return picked.map((row) => ({ id: row.id, root: rootOf(row) }))
}
