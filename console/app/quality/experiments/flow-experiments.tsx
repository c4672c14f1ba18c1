// The experiments of a flow on its page: what was found last, and the way to a new one.

import { ExperimentsClient } from "../../../../src/client/experiments.ts"
import { visible } from "../../../../web/chat/wording.ts"
import { verdictOf } from "../../../../web/quality/experiment-words.ts"
import { useAsked } from "../../parts/asked.ts"
import { Link } from "../../shell/link.tsx"
import { addressOf } from "../../shell/place.ts"
import type { Api } from "../../shell/session.ts"
import { experimentAddress } from "./experiment-address.ts"
import css from "./flow-experiments.module.css"

/** Of the newest. */
const SHOWN = 3

export function FlowExperiments({ api, flow }: { readonly api: Api; readonly flow: string }) {
  const { value } = useAsked(["experiments", "of flow", flow], async () =>
    (await new ExperimentsClient(api.transport).list().all()).filter((one) => one.flow === flow).slice(0, SHOWN),
  )
  if (value === undefined) return null
  return (
    <section className="panel" aria-labelledby="flow-experiments">
      <div className="panel-head">
        <h2 id="flow-experiments">Experiments</h2>
        <span className="grow" />
        {api.who.scopes.includes("runs:write") && (
          <Link className="link" href={experimentAddress(flow)}>
            New
          </Link>
        )}
      </div>
      {value.length === 0 ? (
        <p className={css.none}>Is a draft or another model better? Compare it on the last runs.</p>
      ) : (
        <ul className={css.lines}>
          {value.map(({ id, name, variants, status, rows, same, compared }) => (
            <li key={id}>
              <Link className="link" href={addressOf("quality", "experiments", id)}>
                {visible(name ?? variants.map((one) => one.name).join(" and "))}
              </Link>
              <span className="mid">
                {status === "running"
                  ? "running"
                  : status === "stopped"
                    ? "stopped"
                    : (verdictOf({ rows, same, ...(compared === undefined ? {} : { compared }) })?.title ?? "done")}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
