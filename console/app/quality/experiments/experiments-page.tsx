// The experiments, the newest first: what was compared on what, and what was found. `?new=1` opens the form of a new one.

import { useEffect, useRef, useState } from "react"
import type { ExperimentShown } from "../../../../src/api/doc/experiments.doc.ts"
import { ExperimentsClient } from "../../../../src/client/experiments.ts"
import { visible } from "../../../../web/chat/wording.ts"
import { rowsWords, verdictOf } from "../../../../web/quality/experiment-words.ts"
import { useAsked } from "../../parts/asked.ts"
import { AskedView } from "../../parts/asked-view.tsx"
import { classes } from "../../parts/classes.ts"
import { fullTime, shortTime } from "../../parts/figures.ts"
import { Icon } from "../../shell/icons.tsx"
import { useKeys } from "../../shell/keys.ts"
import { Link } from "../../shell/link.tsx"
import { addressOf, goQuery, useQuery } from "../../shell/place.ts"
import type { Api } from "../../shell/session.ts"
import { titled } from "../../shell/title.ts"
import { moveIn } from "../move-in.ts"
import { QualityTabs } from "../quality-tabs.tsx"
import { NewExperiment } from "./new-experiment.tsx"
import css from "../quality.module.css"

const LIVE = { pollMs: 5_000, slowMs: 15_000 }

export function ExperimentsPage({ api }: { readonly api: Api }) {
  const query = useQuery()
  const experiments = useAsked(["experiments"], () => new ExperimentsClient(api.transport).list().all(), { live: LIVE })
  const [isNew, setNew] = useState(query.get("new") === "1")
  const table = useRef<HTMLTableElement>(null)
  const mayRun = api.who.scopes.includes("runs:write")
  useEffect(() => titled("Experiments"), [])
  const open = (): unknown => (mayRun ? setNew(true) : false)
  useKeys("list", { next: () => moveIn(table, 1), previous: () => moveIn(table, -1), new: open })
  const flow = query.get("flow")
  return (
    <main id="main" className="page">
      <QualityTabs api={api} tab="experiments">
        <span className="grow" />
        {mayRun && (
          <button className="btn first" type="button" onClick={open}>
            <Icon name="plus" kind="i-s" />
            New experiment <kbd>N</kbd>
          </button>
        )}
      </QualityTabs>
      <AskedView what="the experiments" of={experiments}>
        {(all) => {
          const rows = flow === null || query.get("new") === "1" ? all : all.filter((one) => one.flow === flow)
          if (rows.length === 0) return <None />
          return (
            <section className="panel" aria-label="Experiments">
              <table className={classes("tbl", css.list)} ref={table}>
                <thead>
                  <tr>
                    <th scope="col">Experiment</th>
                    <th scope="col">Found</th>
                    <th scope="col" className={classes("num", css.narrow)}>
                      Begun
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {rows.map((row) => (
                    <Row key={row.id} row={row} />
                  ))}
                </tbody>
              </table>
            </section>
          )
        }}
      </AskedView>
      {isNew && (
        <NewExperiment
          api={api}
          given={query}
          onClose={() => {
            setNew(false)
            goQuery({ new: undefined, flow: undefined, draft: undefined, dataset: undefined, agent: undefined, model: undefined })
          }}
        />
      )}
    </main>
  )
}

function None() {
  return (
    <section className="panel empty-state">
      <h2>No experiment yet</h2>
      <p className="mid">
        Compare a draft, a model or a revision with what is live, on your last 100 runs. What is the same costs nothing; nothing leaves.
      </p>
      <pre className="code">sluice experiment support --last 100 --variant draft=short-prompt --scorer helpful</pre>
    </section>
  )
}

function Row({ row }: { readonly row: ExperimentShown }) {
  const { id, name, flow, by, created, status, dataset, variants, compared, rows, same } = row
  const verdict = verdictOf({ rows, same, ...(compared === undefined ? {} : { compared }) })
  return (
    <tr>
      <th scope="row">
        <Link className="link" href={addressOf("quality", "experiments", id)}>
          {visible(name ?? `${flow}: ${variants.map((one) => one.name).join(" and ")}`)}
        </Link>
        <p className="mid">
          {flow}, {rowsWords(dataset)}, by {visible(by)}
        </p>
      </th>
      <td>
        {status === "running" ? (
          <span className="st running">
            <Icon name="running" kind="i-s running spin" />
            Running
          </span>
        ) : status === "stopped" ? (
          <span className="st canceled">Stopped</span>
        ) : (
          (verdict?.title ?? "Done")
        )}
      </td>
      <td className="num dim" title={fullTime(created)}>
        {shortTime(created)}
      </td>
    </tr>
  )
}
