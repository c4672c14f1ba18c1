// Says what is scored today, and what judges have used of the day's budget, in one line; it leads to the setting.

import { ScoresClient } from "../../../../src/client/scores.ts"
import { counted, money } from "../../parts/figures.ts"
import { useAsked } from "../../parts/asked.ts"
import { Link } from "../../shell/link.tsx"
import { addressOf } from "../../shell/place.ts"
import type { Api } from "../../shell/session.ts"

export function ScoringLine({ api }: { readonly api: Api }) {
  const isAdmin = api.who.scopes.includes("admin")
  const today = useAsked(["scores", "today", isAdmin], async () => (isAdmin ? await new ScoresClient(api.transport).today() : undefined))
  const { value } = today
  if (!isAdmin) return null
  return (
    <>
      {value !== undefined && (
        <span className="dim">
          {value.scored === 0 ? "no score today" : `${counted(value.scored, "score")} today`}
          {value.usage.usd > 0 && `, ${money(value.usage.usd)} for judges`}
          {value.waiting > 0 && `, ${value.waiting} waiting`}
          {value.skipped.budget + value.skipped.queue > 0 && `, ${value.skipped.budget + value.skipped.queue} skipped`}
        </span>
      )}
      <Link className="link" href={addressOf("settings", "scoring")}>
        Which runs are scored
      </Link>
    </>
  )
}
