// The revisions of a flow among those of its catalog: a run that began with revision 20 has the flow as revision 18 left it, if 19 and 20 changed others.

export interface OwnRevision<Row> {
  /** undefined: older than all that are known. */
  readonly revision: number | undefined
  readonly rows: readonly Row[]
}

/** `own`: revisions that changed the flow, in any order. The newest first; one without runs has no rows. */
export function ownRevisions<Row extends { readonly revision: number | string }>(
  rows: readonly Row[],
  own: readonly number[],
): OwnRevision<Row>[] {
  const newest = [...new Set(own)].toSorted((a, b) => b - a)
  const of = (revision: number | string): number | undefined =>
    typeof revision === "number" ? newest.find((one) => one <= revision) : undefined
  const older = rows.filter(({ revision }) => of(revision) === undefined)
  return [
    ...newest.map((revision) => ({ revision, rows: rows.filter((row) => of(row.revision) === revision) })),
    ...(older.length === 0 ? [] : [{ revision: undefined, rows: older }]),
  ]
}
