// The datasets: named rows of a flow, which experiments and the gate run it on.

import { useEffect, useRef, useState } from "react"
import { DatasetsClient } from "../../../../src/client/datasets.ts"
import { visible } from "../../../../web/chat/wording.ts"
import { useAsked } from "../../parts/asked.ts"
import { AskedView } from "../../parts/asked-view.tsx"
import { classes } from "../../parts/classes.ts"
import { counted } from "../../parts/figures.ts"
import { useKeys } from "../../shell/keys.ts"
import { Link } from "../../shell/link.tsx"
import { addressOf } from "../../shell/place.ts"
import type { Api } from "../../shell/session.ts"
import { titled } from "../../shell/title.ts"
import { moveIn } from "../move-in.ts"
import { QualityTabs } from "../quality-tabs.tsx"
import { NewDataset } from "./new-dataset.tsx"
import css from "../quality.module.css"

export function DatasetsPage({ api }: { readonly api: Api }) {
  const datasets = useAsked(["catalog", "datasets"], () => new DatasetsClient(api.transport).list().all())
  const [isNew, setNew] = useState(false)
  const table = useRef<HTMLTableElement>(null)
  const mayWrite = api.who.scopes.includes("catalog:write")
  useEffect(() => titled("Datasets"), [])
  useKeys("list", {
    next: () => moveIn(table, 1),
    previous: () => moveIn(table, -1),
    new: () => (mayWrite ? setNew(true) : false),
  })
  return (
    <main id="main" className="page">
      <QualityTabs api={api} tab="datasets">
        <span className="grow" />
        {mayWrite && (
          <button className="btn first" type="button" onClick={() => setNew(true)}>
            New dataset <kbd>N</kbd>
          </button>
        )}
      </QualityTabs>
      <AskedView what="the datasets" of={datasets}>
        {(rows) =>
          rows.length === 0 ? (
            <section className="panel empty-state">
              <h2>No dataset yet</h2>
              <p className="mid">
                A dataset keeps what once went wrong: rows made of your runs, with what the answer should have been. Open a run, Scores, and
                add it.
              </p>
            </section>
          ) : (
            <section className="panel" aria-label="Datasets">
              <table className={classes("tbl", css.list)} ref={table}>
                <thead>
                  <tr>
                    <th scope="col">Dataset</th>
                    <th scope="col">Flow</th>
                    <th scope="col" className={classes("num", css.narrow)}>
                      Rows
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {rows.map(({ name, flow, description, rows: count }) => (
                    <tr key={name}>
                      <th scope="row">
                        <Link className="link" href={addressOf("quality", "datasets", name)}>
                          {name}
                        </Link>
                        {description !== undefined && <p className="mid">{visible(description)}</p>}
                      </th>
                      <td>
                        <Link className="link" href={addressOf("flows", flow)}>
                          {flow}
                        </Link>
                      </td>
                      <td className="num" title={counted(count, "row")}>
                        {count.toLocaleString()}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </section>
          )
        }
      </AskedView>
      {isNew && <NewDataset api={api} onClose={() => setNew(false)} />}
    </main>
  )
}
