// Shows an experiment: how far it is, or what it has found: one sentence, then each difference with its interval, then the rows that got worse.

import { useEffect, useState } from "react"
import type { ExperimentShown } from "../../../../src/api/doc/experiments.doc.ts"
import { ExperimentsClient } from "../../../../src/client/experiments.ts"
import { visible } from "../../../../web/chat/wording.ts"
import { FLAG_WORDS, rowsWords, verdictOf } from "../../../../web/quality/experiment-words.ts"
import { useAsked } from "../../parts/asked.ts"
import { AskedView } from "../../parts/asked-view.tsx"
import { faultOf } from "../../parts/fault.ts"
import { counted, fullTime, money, shortTime } from "../../parts/figures.ts"
import { AskOnce } from "../../settings/parts/ask-once.tsx"
import { Icon } from "../../shell/icons.tsx"
import { useKeys } from "../../shell/keys.ts"
import { Link } from "../../shell/link.tsx"
import { addressOf, go } from "../../shell/place.ts"
import type { Api } from "../../shell/session.ts"
import { titled } from "../../shell/title.ts"
import { QualityTabs } from "../quality-tabs.tsx"
import { Differences } from "./differences.tsx"
import { Trusted, VariantTable } from "./beside.tsx"
import { Under } from "./under-way.tsx"
import { WorseRows } from "./worse-rows.tsx"
import qualityCss from "../quality.module.css"
import css from "./experiment.module.css"

const LIVE = { pollMs: 2_000, slowMs: 4_000 }

export function ExperimentPage({ api, id }: { readonly api: Api; readonly id: string }) {
  const client = new ExperimentsClient(api.transport)
  const asked = useAsked(["experiments", id], () => client.get(id), { live: LIVE })
  useEffect(() => titled("Experiment"), [])
  return (
    <main id="main" className="page">
      <QualityTabs api={api} tab="experiments" />
      <AskedView what="the experiment" of={asked}>
        {(experiment) => <Shown api={api} client={client} experiment={experiment} again={asked.again} />}
      </AskedView>
    </main>
  )
}

interface Props {
  readonly api: Api
  readonly client: ExperimentsClient
  readonly experiment: ExperimentShown
  readonly again: () => void
}

function Shown({ api, client, experiment, again }: Props) {
  const { id, name, flow, by, created, status, dataset, rows, same, variants, compared, usage, budget, flags } = experiment
  const [fault, setFault] = useState<string>()
  const [isDeleting, setDeleting] = useState(false)
  const verdict = verdictOf({ rows, same, ...(compared === undefined ? {} : { compared }) })
  const stop = (): unknown =>
    status === "running" &&
    client.stop(id).then(again, (error: unknown) => {
      setFault(faultOf(error))
    })
  useKeys("experiment", { stop })
  return (
    <>
      <div className={qualityCss.oneHead}>
        <p className="bar">
          <Link className="link" href={addressOf("quality", "experiments")}>
            Experiments
          </Link>
          <span className="dim">/</span>
          <b>{visible(name ?? `${flow}: ${variants.map((one) => one.name).join(" and ")}`)}</b>
          <span className={`st ${status === "done" ? "succeeded" : status === "running" ? "running" : "canceled"}`}>
            <Icon
              name={status === "done" ? "succeeded" : status === "running" ? "running" : "canceled"}
              kind={status === "running" ? "i-s running spin" : "i-s"}
            />
            {status === "done" ? "Done" : status === "running" ? "Running" : "Stopped"}
          </span>
          <span className="grow" />
          {status !== "running" && (
            <button className="btn" type="button" onClick={() => setDeleting(true)}>
              Delete
            </button>
          )}
        </p>
        <p className="mid">
          {visible(by)}, <span title={fullTime(created)}>{shortTime(created)}</span>: {rowsWords(dataset)} of{" "}
          <Link className="link" href={addressOf("flows", flow)}>
            {flow}
          </Link>
          , {same} of {counted(rows, "row")} the same in every variant.
          {usage.usd !== null && ` It used ${money(usage.usd)}${budget?.usd === undefined ? "" : ` of ${money(budget.usd)}`}.`}
        </p>
      </div>
      {fault !== undefined && (
        <p className="note error" role="alert">
          <span>{fault}</span>
        </p>
      )}
      {status === "running" && <Under client={client} experiment={experiment} onStop={() => void stop()} />}
      {verdict && (
        <section className={`note ${verdict.kind} ${css.verdict}`} aria-label="Is it better?">
          <Icon name={verdict.kind === "complete" ? "succeeded" : verdict.kind === "error" ? "failed" : "waiting"} />
          <div>
            <h2>{verdict.title}</h2>
            <p className="mid">{verdict.about}</p>
          </div>
        </section>
      )}
      {flags.map((flag) => (
        <p key={flag} className="note waiting">
          <Icon name="warn" kind="i-s" />
          <span>{FLAG_WORDS[flag] ?? flag}</span>
        </p>
      ))}
      {status !== "running" && (
        <div className={qualityCss.two}>
          {compared !== undefined && compared.length > 0 ? (
            <Differences experiment={experiment} compared={compared} />
          ) : (
            <section className="panel empty-state">
              <h2>{status === "stopped" ? "It was stopped: nothing is compared" : "One variant: nothing to compare with"}</h2>
            </section>
          )}
          <div className={css.beside}>
            <VariantTable experiment={experiment} />
            <Trusted experiment={experiment} />
          </div>
        </div>
      )}
      {compared !== undefined && compared.length > 0 && <WorseRows api={api} experiment={experiment} compared={compared} />}
      {isDeleting && (
        <AskOnce
          title="Delete this experiment?"
          act="Delete the experiment"
          onClose={() => setDeleting(false)}
          send={async () => {
            await client.remove(id)
            go(addressOf("quality", "experiments"), "replace")
          }}
        >
          <p>Its trials go with it. A write that the gate stopped has to compare anew.</p>
        </AskOnce>
      )}
    </>
  )
}
