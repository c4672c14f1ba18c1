// The two tabs of the inbox, each with what waits in it.

import { Link } from "../shell/link.tsx"
import { addressOf } from "../shell/place.ts"
import type { Waiting } from "./waiting.ts"

export function InboxTabs({ waiting: { asks }, tab }: { readonly waiting: Waiting; readonly tab: "asks" }) {
  return (
    <div className="page-head">
      <nav className="subtabs" aria-label="Inbox">
        <Link href={addressOf("inbox")} aria-current={tab === "asks" ? "page" : undefined}>
          <h1>Asks</h1>
          {asks !== undefined && asks.length > 0 && <span className="count">{asks.length}</span>}
        </Link>
      </nav>
    </div>
  )
}
