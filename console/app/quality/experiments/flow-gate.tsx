// The gate on scores of a flow on its page [V40]: what a change may lose, what the last comparison found, and whether a change waits for one.

import { ExperimentsClient } from "../../../../src/client/experiments.ts"
import { matchesGlob } from "../../../../src/core/tool/policy/tool-names.ts"
import { visible } from "../../../../web/chat/wording.ts"
import { marginWords } from "../../../../web/flow/gate-report.ts"
import { verdictOf } from "../../../../web/quality/experiment-words.ts"
import { rulesOf } from "../../flow-tests/gate.tsx"
import { useAsked } from "../../parts/asked.ts"
import { Link } from "../../shell/link.tsx"
import { addressOf } from "../../shell/place.ts"
import type { Api } from "../../shell/session.ts"
import css from "./flow-experiments.module.css"

export function FlowGate({ api, flow }: { readonly api: Api; readonly flow: string }) {
  const { value } = useAsked(["experiments", "gate of flow", flow], async () => {
    const rules = await rulesOf(api, flow)
    const scored = rules === "hidden" ? [] : rules.flatMap(({ match, score }) => (score && matchesGlob(match, flow) ? [score] : []))
    if (scored.length === 0) return []
    const all = (await new ExperimentsClient(api.transport).list().all()).filter((one) => one.flow === flow)
    return scored.map((rule) => ({ rule, last: all.find(({ dataset, status }) => dataset === rule.dataset && status !== "stopped") }))
  })
  if (value === undefined || value.length === 0) return null
  return (
    <section className="panel" aria-labelledby="flow-gate">
      <div className="panel-head">
        <h2 id="flow-gate">Gate on scores</h2>
        <span className="grow" />
        <Link className="link" href={addressOf("settings", "gate")}>
          Open
        </Link>
      </div>
      <ul className={css.lines}>
        {value.map(({ rule: { dataset, scorers }, last }) => (
          <li key={dataset}>
            <span>
              On <span className="mono">{visible(dataset)}</span>, {visible(marginWords(scorers))}.
            </span>
            {last === undefined ? (
              <span className="mid">Nothing was compared yet.</span>
            ) : (
              <Link className="link" href={addressOf("quality", "experiments", last.id)}>
                {last.status === "running" ? "A change waits for this experiment" : foundIn(last)}
              </Link>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

const foundIn = ({ rows, same, compared }: Parameters<typeof verdictOf>[0]): string =>
  verdictOf({ rows, same, ...(compared === undefined ? {} : { compared }) })?.title ?? "The last experiment"
