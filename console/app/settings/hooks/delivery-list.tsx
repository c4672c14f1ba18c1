// What was delivered to a hook: what became of each delivery, and another run for it.

import { useState } from "react"
import type { Delivery } from "../../../../src/api/doc/hooks.doc.ts"
import type { Hooks } from "../../../../src/client/triggers.ts"
import { visible } from "../../../../web/chat/wording.ts"
import { counted, fullTime } from "../../parts/figures.ts"
import { faultOf } from "../../parts/fault.ts"
import { Link } from "../../shell/link.tsx"
import { addressOf } from "../../shell/place.ts"
import { AskedView } from "../../parts/asked-view.tsx"
import { DeliveriesPlot } from "./deliveries-plot.tsx"
import { More, usePages } from "../parts/pages.tsx"
import { Row, Rows } from "../parts/row.tsx"
import { Told } from "../parts/told.tsx"
import css from "../settings.module.css"

const GOOD: ReadonlySet<Delivery["verdict"]> = new Set(["accepted", "ping"])
/** Their payload is kept. */
const AGAIN: ReadonlySet<Delivery["verdict"]> = new Set(["accepted", "failed"])

export function DeliveryList({ hooks, hook }: { readonly hooks: Hooks; readonly hook: string }) {
  const pages = usePages(`deliveries ${hook}`, () => hooks.deliveries(hook))
  const [said, setSaid] = useState<{ readonly isGood: boolean; readonly words: string }>()
  const redeliver = (id: string): void => {
    setSaid(undefined)
    hooks.redeliver(hook, id).then(
      ({ run }) => {
        setSaid({ isGood: true, words: run === null ? "Delivered again." : `Delivered again, and started ${run}.` })
        pages.first.again()
      },
      (error: unknown) => setSaid({ isGood: false, words: faultOf(error) }),
    )
  }
  return (
    <section className={css.sbody} aria-label="Deliveries">
      <div className="page-head">
        <h2>Deliveries</h2>
        <span className="grow" />
        <button className="btn" type="button" onClick={pages.first.again}>
          Refresh
        </button>
      </div>
      <div role="status">{said && <Told {...said} />}</div>
      {pages.rows.length > 0 && <DeliveriesPlot hooks={hooks} hook={hook} newest={pages.rows[0]?.id} />}
      <AskedView what="the deliveries" of={pages.first}>
        {() => (
          <Rows
            label="Deliveries"
            isEmpty={pages.rows.length === 0}
            empty="Nothing has been delivered here. Deliveries are listed for 30 days."
          >
            {pages.rows.map((row) => (
              <Row
                key={row.id}
                name={
                  <>
                    <span className={`tag ${GOOD.has(row.verdict) ? "complete" : row.verdict === "filtered" ? "" : "error"}`}>
                      {row.verdict}
                    </span>
                    <span>{fullTime(row.at)}</span>
                    {row.run !== null && (
                      <Link className="link mono" href={addressOf("runs", row.run)}>
                        {row.run}
                      </Link>
                    )}
                  </>
                }
                about={[
                  ...(row.external_id === null ? [] : [visible(row.external_id)]),
                  ...(row.reason === null ? [] : [visible(row.reason)]),
                  ...(row.duplicates === 0 ? [] : [`arrived ${counted(row.duplicates, "more time")}`]),
                  ...(row.redelivery_of === null ? [] : [`of ${row.redelivery_of}`]),
                ].join(", ")}
                actions={
                  AGAIN.has(row.verdict) && (
                    <button className="btn" type="button" aria-label={`Deliver again: ${row.id}`} onClick={() => redeliver(row.id)}>
                      Deliver again
                    </button>
                  )
                }
              />
            ))}
          </Rows>
        )}
      </AskedView>
      <More pages={pages} />
    </section>
  )
}
