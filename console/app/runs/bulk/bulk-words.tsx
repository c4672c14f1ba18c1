// Says what a bulk is called, and how it stands.

import type { BulkRow } from "../../../../src/api/doc/run/bulk.doc.ts"
import { counted } from "../../parts/figures.ts"
import { Status } from "../../parts/status.tsx"

const VERBS = { cancel: "Cancel", again: "Run again", fork: "Fork", delete: "Delete" } as const

export const titleOfBulk = ({ action, count }: BulkRow): string => `${VERBS[action]}: ${counted(count, "run")}`

export function WordOfBulk({ row: { status } }: { readonly row: BulkRow }) {
  if (status === "running") return <Status status="running" />
  return status === "stopped" ? <Status status="canceled" word="Stopped" /> : <Status status="complete" word="Done" />
}
