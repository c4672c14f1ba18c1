// The deliveries of a hook by hour, from those that are listed.

import { useMemo } from "react"
import type { Delivery } from "../../../../src/api/doc/hooks.doc.ts"
import type { Hooks } from "../../../../src/client/triggers.ts"
import { deliveriesPlotOf, deliveriesSince } from "../../../../web/setup/deliveries-plot.ts"
import { useAsked } from "../../parts/asked.ts"
import { Plot } from "../../parts/plot.tsx"
import { useNow } from "../../parts/use-now.ts"
import usageCss from "../usage/usage.module.css"

/** Rows of a page, and the pages that are read. */
const PAGE = 200
const MOST_PAGES = 5
const KEPT_REFUSED = 100
const HEIGHT = 110

interface Read {
  /** Newest first. */
  readonly rows: readonly Delivery[]
  readonly isAll: boolean
}

interface Props {
  readonly hooks: Hooks
  readonly hook: string
  /** The newest of the list: with another one, the hours are read again. */
  readonly newest: string | undefined
}

export function DeliveriesPlot({ hooks, hook, newest }: Props) {
  const now = useNow(60_000)
  const asked = useAsked(["settings", "delivered", hook, newest], () => readDay(hooks, hook, Date.now()))
  const plot = useMemo(() => asked.value && deliveriesPlotOf(asked.value.rows, asked.value.isAll, now), [asked.value, now])
  if (!plot) return null
  return (
    <section className={`panel ${usageCss.plot}`}>
      <Plot title="Deliveries by hour" note="last 24 hours, local time" plot={plot} height={HEIGHT} />
    </section>
  )
}

async function readDay(hooks: Hooks, hook: string, now: number): Promise<Read> {
  const since = deliveriesSince(now)
  const rows: Delivery[] = []
  const list = hooks.deliveries(hook, { limit: PAGE })
  let cursor: string | undefined
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const { data, next_cursor } = await list.page(cursor)
    const recent = data.filter(({ at }) => Date.parse(at) >= since)
    rows.push(...recent)
    if (next_cursor === null || recent.length < data.length) return withoutForgotten(rows)
    cursor = next_cursor
  }
  return { rows, isAll: false }
}

/** Of refused ones only the newest are kept: what came before the oldest of them is not known whole. */
function withoutForgotten(rows: readonly Delivery[]): Read {
  const refused = rows.filter(({ verdict }) => verdict === "rejected" || verdict === "malformed")
  const oldest = refused.at(-1)
  if (oldest === undefined || refused.length < KEPT_REFUSED) return { rows, isAll: true }
  return { rows: rows.slice(0, rows.indexOf(oldest) + 1), isAll: false }
}
