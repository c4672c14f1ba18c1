// The items of a map as a list: what failed first, then what asks. A row opens the item's run. Only rows near the view are drawn.

import { useEffect, useMemo, useRef } from "react"
import { failedFirst, itemsWords, type ItemState, type MapItem } from "../../../../web/run/map-items.ts"
import { visible } from "../../../../web/chat/wording.ts"
import { classes } from "../../parts/classes.ts"
import { duration, usd } from "../../parts/figures.ts"
import { StatusMark } from "../../parts/status.tsx"
import { useWindow } from "../../parts/use-window.ts"
import { Link } from "../../shell/link.tsx"
import { addressOf } from "../../shell/place.ts"
import { STATUS_OF } from "./use-items.ts"
import css from "./map.module.css"

const ROW = 30

interface Props {
  readonly items: readonly MapItem[]
  readonly only: ItemState | undefined
  readonly chosen: number | undefined
  readonly now: number
}

export function ItemList({ items, only, chosen, now }: Props) {
  const rows = useMemo(() => failedFirst(only === undefined ? items : items.filter(({ state }) => state === only)), [items, only])
  const [box, list] = [useRef<HTMLDivElement>(null), useRef<HTMLUListElement>(null)]
  const { from, to } = useWindow(list, rows.length, ROW, box)
  const at = rows.findIndex(({ index }) => index === chosen)
  useEffect(() => {
    const view = box.current
    if (at < 0 || !view) return
    const top = at * ROW
    if (top < view.scrollTop || top + ROW > view.scrollTop + view.clientHeight) view.scrollTop = top - view.clientHeight / 3
  }, [at])
  return (
    <>
      <p className="mid">{itemsWords(items)}</p>
      <div className={classes(css.row, css.listHead)} aria-hidden="true">
        <span className="num">No.</span>
        <span />
        <span>Item</span>
        <span className="num">Time</span>
        <span className="num">USD</span>
      </div>
      <div className={css.listBox} ref={box}>
        <ul ref={list} aria-label="Items, failed first">
          {from > 0 && <li style={{ height: from * ROW }} aria-hidden="true" className="gap" />}
          {rows.slice(from, to).map((item) => (
            <li key={item.index} className={item.index === chosen ? css.on : undefined}>
              <Row item={item} now={now} />
            </li>
          ))}
          {to < rows.length && <li style={{ height: (rows.length - to) * ROW }} aria-hidden="true" className="gap" />}
        </ul>
      </div>
    </>
  )
}

function Row({ item: { index, label, state, work }, now }: { readonly item: MapItem; readonly now: number }) {
  const cells = (
    <>
      <span className="num dim">{index + 1}</span>
      <StatusMark status={STATUS_OF[state]} kind="i-s" />
      <span className="cut" dir="auto">
        {label === undefined ? (work?.run ?? "") : visible(label)}
        {work?.message !== undefined && <span className="dim">: {visible(work.message)}</span>}
      </span>
      <span className="num dim">{work === undefined ? "–" : duration((work.ended ?? now) - work.begun)}</span>
      <span className="num dim">{usd(work?.usd)}</span>
    </>
  )
  if (work?.run === undefined) return <span className={css.row}>{cells}</span>
  return (
    <Link className={css.row} href={addressOf("runs", work.run)}>
      {cells}
    </Link>
  )
}
