// Shows a dataset: its rows, each with what it is run with, what is expected of it, and the runs that it was made of.

import { useEffect, useRef, useState } from "react"
import { DatasetsClient } from "../../../../src/client/datasets.ts"
import { visible } from "../../../../web/chat/wording.ts"
import { useAsked } from "../../parts/asked.ts"
import { AskedView } from "../../parts/asked-view.tsx"
import { counted } from "../../parts/figures.ts"
import { AskOnce } from "../../settings/parts/ask-once.tsx"
import { askAnew } from "../../shell/ask-anew.ts"
import { Icon } from "../../shell/icons.tsx"
import { useKeys } from "../../shell/keys.ts"
import { Link } from "../../shell/link.tsx"
import { addressOf, go } from "../../shell/place.ts"
import type { Api } from "../../shell/session.ts"
import { titled } from "../../shell/title.ts"
import { moveIn } from "../move-in.ts"
import { QualityTabs } from "../quality-tabs.tsx"
import { AddRows } from "./add-rows.tsx"
import { RowTable } from "./row-table.tsx"
import css from "../quality.module.css"

const PAGE = 100

export function DatasetPage({ api, name }: { readonly api: Api; readonly name: string }) {
  const client = new DatasetsClient(api.transport)
  const [most, setMost] = useState(PAGE)
  const dataset = useAsked(["catalog", "dataset", name], () => client.get(name))
  const rows = useAsked(["catalog", "rows", name, most], async () => {
    const found = []
    for await (const row of client.rows(name)) {
      found.push(row)
      if (found.length > most) break
    }
    return found
  })
  const [open, setOpen] = useState<"add" | "delete">()
  const [told, setTold] = useState("")
  const table = useRef<HTMLTableElement>(null)
  const mayWrite = api.who.scopes.includes("catalog:write")
  useEffect(() => titled(`${name} · Datasets`), [name])
  useKeys("list", {
    next: () => moveIn(table, 1),
    previous: () => moveIn(table, -1),
    new: () => (mayWrite ? setOpen("add") : false),
  })
  const shown = rows.value?.slice(0, most)
  return (
    <main id="main" className="page">
      <QualityTabs api={api} tab="datasets" />
      <AskedView what="the dataset" of={dataset}>
        {({ flow, description, rows: count }) => (
          <>
            <div className={css.oneHead}>
              <p className="bar">
                <Link className="link" href={addressOf("quality", "datasets")}>
                  Datasets
                </Link>
                <span className="dim">/</span>
                <b>{name}</b>
                <span className="dim">
                  {counted(count, "row")} for{" "}
                  <Link className="link" href={addressOf("flows", flow)}>
                    {flow}
                  </Link>
                </span>
                <span className="grow" />
                {mayWrite && (
                  <>
                    <button className="btn" type="button" onClick={() => setOpen("delete")}>
                      Delete
                    </button>
                    <button className="btn first" type="button" onClick={() => setOpen("add")}>
                      <Icon name="plus" kind="i-s" />
                      Add rows <kbd>N</kbd>
                    </button>
                  </>
                )}
              </p>
              {description !== undefined && <p className="mid">{visible(description)}</p>}
            </div>
            <p className={told === "" ? "vh" : "note complete"} role="status">
              {told !== "" && <span>{told}</span>}
            </p>
            <AskedView what="the rows" of={rows}>
              {() =>
                shown === undefined || shown.length === 0 ? (
                  <section className="panel empty-state">
                    <h2>No row yet</h2>
                    <p className="mid">Add runs of {flow}: the last hundred, or those that people found bad.</p>
                  </section>
                ) : (
                  <RowTable
                    rows={shown}
                    table={table}
                    onDelete={
                      mayWrite
                        ? (id) =>
                            void client.removeRow(name, id).then(() => {
                              setTold("The row is deleted.")
                              askAnew("catalog")
                            })
                        : undefined
                    }
                  />
                )
              }
            </AskedView>
            {(rows.value?.length ?? 0) > most && (
              <p>
                <button className="btn" type="button" onClick={() => setMost(most + PAGE)}>
                  Show more rows
                </button>
              </p>
            )}
            {open === "add" && (
              <AddRows
                api={api}
                dataset={name}
                flow={flow}
                onClose={() => setOpen(undefined)}
                onAdded={(words) => {
                  setTold(words)
                  setOpen(undefined)
                  askAnew("catalog")
                }}
              />
            )}
          </>
        )}
      </AskedView>
      {open === "delete" && (
        <AskOnce
          title={`Delete the dataset “${visible(name)}”?`}
          act="Delete the dataset"
          onClose={() => setOpen(undefined)}
          send={async () => {
            await client.remove(name)
            askAnew("catalog")
            go(addressOf("quality", "datasets"), "replace")
          }}
        >
          <p>Its rows go with it. The runs that they were made of stay.</p>
        </AskOnce>
      )}
    </main>
  )
}
