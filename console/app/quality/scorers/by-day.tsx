// Shows the means of a scorer by day, a line for each flow.

import { useMemo } from "react"
import { Scorers } from "../../../../src/client/scorers.ts"
import { DAYS, firstDay, scoredDays } from "../../../../web/quality/scores-by-day.ts"
import { useAsked } from "../../parts/asked.ts"
import { AskedView } from "../../parts/asked-view.tsx"
import { counted } from "../../parts/figures.ts"
import { Plot } from "../../parts/plot.tsx"
import type { Api } from "../../shell/session.ts"
import css from "../quality.module.css"

const HEIGHT = 160

export function ByDay({ api, name }: { readonly api: Api; readonly name: string }) {
  const sums = useAsked(["scores", "by day"], () => new Scorers(api.transport).sums({ from: firstDay(Date.now()), each: "day" }))
  const found = useMemo(() => sums.value && scoredDays(sums.value.data, name, Date.now()), [sums.value, name])
  return (
    <section className={`panel ${css.days}`} aria-label="Scores by day">
      <AskedView what="the scores" of={sums}>
        {() =>
          found === undefined ? (
            <div className="empty-state">
              <h2>Nothing was scored in {DAYS} days</h2>
              <p className="mid">A rule of scoring takes a sample of the runs, and a run’s page scores one now.</p>
            </div>
          ) : (
            <>
              <Plot
                title={`${name} by day`}
                note="mean of the runs that were scored, 0 to 1, days in UTC"
                plot={found.plot}
                height={HEIGHT}
              />
              <p className="dim small">
                {counted(found.scored, "score")} in {DAYS} days
                {found.more > 0 && `; ${counted(found.more, "more flow")} without a line`}
              </p>
            </>
          )
        }
      </AskedView>
    </section>
  )
}
