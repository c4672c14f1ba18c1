// The two tabs of runs: the list, and how runs fail.

import type { ReactNode } from "react"
import { Link } from "../shell/link.tsx"
import { addressOf } from "../shell/place.ts"

const TABS = [
  { name: "runs", label: "Runs", href: addressOf("runs") },
  { name: "failures", label: "Failures", href: addressOf("runs", "failures") },
] as const

export function RunsTabs({ tab, children }: { readonly tab: (typeof TABS)[number]["name"]; readonly children?: ReactNode }) {
  return (
    <div className="page-head">
      <nav className="subtabs" aria-label="Runs">
        {TABS.map(({ name, label, href }) => (
          <Link key={name} href={href} aria-current={name === tab ? "page" : undefined}>
            {name === tab ? <h1>{label}</h1> : label}
          </Link>
        ))}
      </nav>
      {children}
    </div>
  )
}
