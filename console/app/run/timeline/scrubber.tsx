// Any moment of the run, on the timeline's own axis. Arrows go from event to event; the page shows everything as it was after that event.

import { useDeferredValue, useEffect, useState } from "react"
import type { RunEvent } from "../../../../src/core/run/event.ts"
import { duration } from "../../parts/figures.ts"
import { Icon } from "../../shell/icons.tsx"
import { select } from "../selection.ts"
import type { Axis } from "../../../../web/run/axis.ts"
import type { ShownRun } from "../use-run.ts"
import { classes } from "../../parts/classes.ts"
import css from "./timeline.module.css"

/** While the thumb is dragged, the address is left alone for so long. */
const REST_MS = 120
/** Stops of the thumb in a percent of the axis. */
const FINE = 100

interface Props {
  readonly shown: ShownRun
  /** Where the bars end. */
  readonly end: number
  readonly axis: Axis
}

export function Scrubber({ shown: { view, story, events, at, last }, end, axis }: Props) {
  const [held, setHeld] = useState<number>()
  const seq = held ?? at ?? last
  const isOver = view.ended !== undefined
  useEffect(() => {
    if (held === undefined) return
    const timer = setTimeout(() => {
      select({ at: held >= last ? undefined : held })
      setHeld(undefined)
    }, REST_MS)
    return () => clearTimeout(timer)
  }, [held, last])
  const event = events[seq - 1]
  const time = duration(Math.max(0, (event?.at ?? story.at) - axis.zero))
  const thumb = axis.place(seq === last && at === undefined ? end : (event?.at ?? story.at))
  const marks = useDeferredValue(story.marks.length)
  const inView = story.marks.slice(0, marks).filter(({ at: when }) => when >= axis.from && when <= axis.until)
  const go = (to: number): void => setHeld(Math.max(1, Math.min(last, to)))
  return (
    <div className={classes(css.w, css.scrub)}>
      <span className={css.nm}>
        <span className={css.zoom}>
          <button type="button" aria-label="First event" aria-disabled={seq <= 1} onClick={() => go(1)}>
            <Icon name="first" kind="i-s" />
          </button>
          <button type="button" aria-label="Previous event" aria-disabled={seq <= 1} onClick={() => go(seq - 1)}>
            <Icon name="left" kind="i-s" />
          </button>
          <button type="button" aria-label="Next event" aria-disabled={seq >= last} onClick={() => go(seq + 1)}>
            <Icon name="right" kind="i-s" />
          </button>
        </span>
        <span className="nowrap">
          <b>{seq}</b> <span className="dim">of {last}</span>
        </span>
      </span>
      <span className={css.scrubT}>
        {at === undefined ? (
          <span className="live">
            <i />
            {story.ended === undefined ? "Live" : "The end"}
          </span>
        ) : (
          <button className="btn" type="button" onClick={() => select({ at: undefined })}>
            {!isOver ? "Back to live" : "Back to the end"} <kbd>L</kbd>
          </button>
        )}
      </span>
      <span className={css.track}>
        {inView.map(({ seq: no, at: when, kind }) => (
          <i key={`${no} ${kind}`} className={classes(css.mark, css[kind])} style={{ left: `${axis.place(when)}%` }} />
        ))}
        <input
          type="range"
          aria-label="Moment"
          min={0}
          max={100 * FINE}
          value={Math.round(Math.min(100, Math.max(0, thumb)) * FINE)}
          aria-valuetext={`event ${seq}, ${time}`}
          onChange={({ target }) => go(seqAt(events, axis.timeAt(Number(target.value) / FINE)))}
          onKeyDown={(key) => {
            const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[key.key]
            if (by === undefined) return
            key.preventDefault()
            key.stopPropagation()
            go(seq + by)
          }}
        />
      </span>
    </div>
  )
}

/** The last event that had happened by then. */
function seqAt(events: readonly RunEvent[], when: number): number {
  let [low, high] = [0, events.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((events[middle]?.at ?? 0) <= when) low = middle
    else high = middle - 1
  }
  return events[low]?.seq ?? 1
}
