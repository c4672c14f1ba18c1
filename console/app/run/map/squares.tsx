// A map as a grid of squares, one for each item, or for several where there are very many. Arrows move by square, Enter opens the item's run.

import { useMemo, useRef, type KeyboardEvent } from "react"
import {
  countsOf,
  ITEM_STATES,
  MOST_SQUARES,
  squaresOf,
  timesOf,
  type ItemState,
  type MapItem,
  type Square,
} from "../../../../web/run/map-items.ts"
import { visible } from "../../../../web/chat/wording.ts"
import { classes } from "../../parts/classes.ts"
import { duration, money } from "../../parts/figures.ts"
import { lookOf, StatusMark } from "../../parts/status.tsx"
import { Icon } from "../../shell/icons.tsx"
import { addressOf, go } from "../../shell/place.ts"
import { select, type Selection } from "../selection.ts"
import { itemAt, itemKey, STATE_WORDS, STATUS_OF } from "./use-items.ts"
import css from "./map.module.css"

interface Props {
  readonly step: string
  readonly items: readonly MapItem[]
  readonly selection: Selection
  readonly now: number
  /** The only ones that are told in the list. */
  readonly only: ItemState | undefined
  readonly onOnly: (state: ItemState | undefined) => void
}

export function Squares({ step, items, selection, now, only, onOnly }: Props) {
  const squares = useMemo(() => squaresOf(items), [items])
  const counts = useMemo(() => countsOf(items), [items])
  const grid = useRef<HTMLDivElement>(null)
  const chosenIndex = itemAt(selection.call)
  const chosen = squares.findIndex((square) => square.items.some(({ index }) => index === chosenIndex))
  const choose = (at: number): void => {
    const square = squares[at]
    if (!square) return
    select({ call: itemKey(neediest(square)?.index ?? 0), tab: "messages" })
    grid.current?.querySelectorAll<HTMLElement>("button")[at]?.focus()
  }
  const pressed = (event: KeyboardEvent): void => {
    const at = Math.max(
      0,
      [...(grid.current?.children ?? [])].findIndex((one) => one === document.activeElement),
    )
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columnsOf(grid.current), ArrowDown: columnsOf(grid.current) }[event.key]
    const to = event.key === "Home" ? 0 : event.key === "End" ? squares.length - 1 : by === undefined ? undefined : at + by
    if (event.key === "Enter") open(squares[at] && neediest(squares[at]))
    else if (to === undefined) return
    else if (to >= 0 && to < squares.length) choose(to)
    event.preventDefault()
    event.stopPropagation()
  }
  const several = squares[0] !== undefined && squares[0].items.length > 1 ? squares[0].items.length : undefined
  return (
    <div className={css.map}>
      <div className={css.chips} role="group" aria-label="Only these in the list">
        <button className="chip" type="button" aria-pressed={only === undefined} onClick={() => onOnly(undefined)}>
          All {items.length.toLocaleString()}
        </button>
        {ITEM_STATES.map(
          (state) =>
            counts[state] > 0 && (
              <button
                key={state}
                className="chip"
                type="button"
                aria-pressed={only === state}
                onClick={() => onOnly(only === state ? undefined : state)}
              >
                <Icon name={lookOf(STATUS_OF[state]).icon} kind={`i-s ${STATUS_OF[state]}`} /> {STATE_WORDS[state]}{" "}
                {counts[state].toLocaleString()}
              </button>
            ),
        )}
      </div>
      {several !== undefined && (
        <p className={classes("dim small", css.several)}>
          Each square stands for {several} items: there are more than {MOST_SQUARES}.
        </p>
      )}
      <div className={css.grid} role="group" aria-label={`Items of ${step}`} ref={grid} onKeyDown={pressed}>
        {squares.map((square, at) => (
          <button
            key={square.items[0]?.index}
            className={classes(css.sq, css[square.state], at === chosen && css.on)}
            type="button"
            tabIndex={at === Math.max(0, chosen) ? 0 : -1}
            aria-pressed={at === chosen}
            aria-label={nameOf(square)}
            onClick={() => choose(at)}
          >
            {(square.items[0]?.index ?? 0) + 1}
          </button>
        ))}
      </div>
      {chosenIndex !== undefined && <Chosen item={items[chosenIndex]} now={now} />}
      <Foot items={items} now={now} />
    </div>
  )
}

/** The first of those in the square's own state. */
const neediest = ({ items, state }: Square): MapItem | undefined => items.find((item) => item.state === state)

function open(item: MapItem | undefined): void {
  if (item?.work?.run !== undefined) go(addressOf("runs", item.work.run))
}

function columnsOf(grid: HTMLElement | null): number {
  const all = [...(grid?.children ?? [])].filter((one) => one instanceof HTMLElement)
  return Math.max(1, all.filter(({ offsetTop }) => offsetTop === all[0]?.offsetTop).length)
}

/** Begins with what is written in the square. */
function nameOf({ items, state }: Square): string {
  const [first, last] = [items[0], items.at(-1)]
  const word = STATE_WORDS[state].toLowerCase()
  if (first === undefined || last === undefined) return word
  if (first !== last) return `${first.index + 1} to ${last.index + 1}: ${items.filter((item) => item.state === state).length} ${word}`
  return [`${first.index + 1}`, ...(first.label === undefined ? [] : [visible(first.label)]), word].join(", ")
}

function Chosen({ item, now }: { readonly item: MapItem | undefined; readonly now: number }) {
  if (item === undefined) return null
  const { index, label, state, work } = item
  return (
    <p className={css.chosen}>
      <StatusMark status={STATUS_OF[state]} kind="i-s" />
      <b>{index + 1}</b>
      <span className="cut" dir="auto">
        {label !== undefined && visible(label)}
      </span>
      {work?.message !== undefined && <span className={classes("cut mid", css.message)}>{visible(work.message)}</span>}
      <span className="grow" />
      {work && (
        <span className="dim nowrap">
          {duration((work.ended ?? now) - work.begun)}
          {work.usd !== undefined && work.usd !== null && `, ${money(work.usd)}`}
        </span>
      )}
      {work?.run !== undefined && (
        <button className="btn" type="button" onClick={() => open(item)}>
          Open <kbd>Enter</kbd>
        </button>
      )}
    </p>
  )
}

function Foot({ items, now }: { readonly items: readonly MapItem[]; readonly now: number }) {
  const times = timesOf(items, now)
  const { done, failed, canceled } = countsOf(items)
  if (times === undefined) return null
  return (
    <p className={css.foot}>
      {times.left !== undefined && <b>About {duration(times.left)} to go</b>}
      <span className={css.bar} aria-hidden="true">
        <i className={css.done} style={{ flexGrow: done }} />
        <i className={css.failed} style={{ flexGrow: failed }} />
        <i style={{ flexGrow: items.length - done - failed - canceled }} />
      </span>
      <span>
        half take <b>{duration(times.half)}</b>
      </span>
      <span>
        95% take <b>{duration(times.most)}</b>
      </span>
    </p>
  )
}
