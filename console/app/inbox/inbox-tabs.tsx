// The tabs of the inbox, each with what waits in it; the runs that wait for a grade are worked on their own page.

import type { ReactNode } from "react"
import { Link } from "../shell/link.tsx"
import { addressOf } from "../shell/place.ts"
import { useGradingCount } from "../quality/use-grading-count.ts"
import type { Api } from "../shell/session.ts"
import type { OpenAsks } from "./asks.ts"

interface Props {
  readonly api: Api
  readonly waiting: OpenAsks
  readonly tab: "asks" | "effects"
  readonly children?: ReactNode
}

export function InboxTabs({ api, waiting: { asks = [], effects }, tab, children }: Props) {
  const open = asks.filter(({ kind }) => kind === "effects").length + effects.filter(({ state }) => state === "uncertain").length
  const grading = useGradingCount(api)
  const tabs = [
    { name: "asks", label: "Asks", count: asks.length, href: addressOf("inbox") },
    { name: "effects", label: "Effects", count: open, href: addressOf("inbox", "effects") },
  ]
  return (
    <div className="page-head">
      <nav className="subtabs" aria-label="Inbox">
        {tabs.map(({ name, label, count, href }) => (
          <Link key={name} href={href} aria-current={name === tab ? "page" : undefined}>
            {name === tab ? <h1>{label}</h1> : label}
            {count > 0 && <span className="count">{count}</span>}
          </Link>
        ))}
        {grading !== undefined && (
          <Link href={addressOf("quality", "grading")}>
            Grading
            <span className="count">{grading}</span>
          </Link>
        )}
      </nav>
      <span className="grow" />
      {children}
    </div>
  )
}
