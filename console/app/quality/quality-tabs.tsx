// The tabs of Quality; the one of grades says how many wait.

import type { ReactNode } from "react"
import { Link } from "../shell/link.tsx"
import { addressOf } from "../shell/place.ts"
import type { Api } from "../shell/session.ts"
import { useGradingCount } from "./use-grading-count.ts"

export const QUALITY_TABS = [
  { name: "experiments", label: "Experiments" },
  { name: "scorers", label: "Scorers" },
  { name: "datasets", label: "Datasets" },
  { name: "grading", label: "Grading" },
] as const

interface Props {
  readonly api: Api
  readonly tab: (typeof QUALITY_TABS)[number]["name"]
  readonly children?: ReactNode
}

export function QualityTabs({ api, tab, children }: Props) {
  const waiting = useGradingCount(api)
  return (
    <div className="page-head">
      <nav className="subtabs" aria-label="Quality">
        {QUALITY_TABS.map(({ name, label }) => (
          <Link key={name} href={addressOf("quality", name)} aria-current={name === tab ? "page" : undefined}>
            {name === tab ? <h1>{label}</h1> : label}
            {name === "grading" && waiting !== undefined && (
              <span className="count">
                <span className="vh">, waiting: </span>
                {waiting}
              </span>
            )}
          </Link>
        ))}
      </nav>
      {children}
    </div>
  )
}
