// Says whether a hook works: what became of its newest deliveries.

import type { HookRow } from "../../../../src/api/doc/hooks.doc.ts"
import type { Hooks } from "../../../../src/client/triggers.ts"
import { useAsked } from "../../parts/asked.ts"
import { age } from "../../parts/figures.ts"
import { useNow } from "../../parts/use-now.ts"

/** Deliveries that are looked at. */
const NEWEST = 20
const BAD: ReadonlySet<string> = new Set(["rejected", "failed"])

export function Failing({ hooks, row: { id } }: { readonly hooks: Hooks; readonly row: HookRow }) {
  const loaded = useAsked(["settings", "hook works", id], async () => (await hooks.deliveries(id).page()).data.slice(0, NEWEST))
  const now = useNow(60_000)
  const rows = loaded.value
  if (rows === undefined) return null
  const [last] = rows
  if (last === undefined) return <span className="tag">no delivery yet</span>
  const bad = rows.filter(({ verdict }) => BAD.has(verdict)).length
  const when = age(Date.parse(last.at), now)
  return (
    <span className={`tag ${bad > 0 ? "error" : "complete"}`}>
      {bad > 0 ? `${bad} of the last ${rows.length} failed` : "works"}, last {when === "now" ? "just now" : `${when} ago`}
    </span>
  )
}
