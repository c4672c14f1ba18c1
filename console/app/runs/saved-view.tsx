// A saved view with the number of runs that it shows, counted anew each minute while it is looked at.

import { askedBy, readAddress } from "../../../web/runs/query.ts"
import type { SavedView } from "../../../web/runs/saved-views.ts"
import { useAsked } from "../parts/asked.ts"
import { Link } from "../shell/link.tsx"
import { addressOf } from "../shell/place.ts"
import type { Api } from "../shell/session.ts"

const AGAIN_MS = 60_000

interface Props {
  readonly api: Api
  readonly view: SavedView
  readonly isShown: boolean
}

export function SavedViewLink({ api, view: { name, search }, isShown }: Props) {
  const count = useAsked(["once", "count of view", search], () => counted(api, search), { live: { pollMs: AGAIN_MS, slowMs: AGAIN_MS } })
  return (
    <Link href={addressOf("runs") + search} aria-current={isShown ? "page" : undefined}>
      {name} {count.value !== undefined && <b>{count.value}</b>}
    </Link>
  )
}

async function counted(api: Api, search: string): Promise<string> {
  const { sort: _order, ...filter } = askedBy(readAddress(new URLSearchParams(search)), Date.now())
  const { total, complete } = await api.runs.counts("status", filter)
  return `${total.toLocaleString()}${complete ? "" : "+"}`
}
