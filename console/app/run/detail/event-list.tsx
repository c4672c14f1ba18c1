// The journal: every event, or those of a step. A row opens the event as it is stored.

import { useMemo, useRef, useState } from "react"
import type { RunEvent } from "../../../../src/core/run/event.ts"
import { Code } from "../../parts/code.tsx"
import { duration } from "../../parts/figures.ts"
import { useWindow } from "../../parts/use-window.ts"
import { select } from "../selection.ts"
import type { ShownRun } from "../use-run.ts"
import css from "./detail.module.css"

const ROW = 28

export function EventList({ shown, of }: { readonly shown: ShownRun; readonly of?: { readonly step: string; readonly from: number } }) {
  const { events, at, last, story, version } = shown
  const rows = useMemo(
    () => events.slice(0, at ?? last).filter((e) => of === undefined || ("step" in e && e.step === of.step && e.seq >= of.from)),
    [events, at, last, of, version],
  )
  const [open, setOpen] = useState<RunEvent>()
  const [box, list] = [useRef<HTMLDivElement>(null), useRef<HTMLUListElement>(null)]
  const { from, to } = useWindow(list, rows.length, ROW, box)
  return (
    <>
      {open && (
        <section className={css.blk}>
          <div className="bar">
            <h3>
              Event {open.seq}, {open.type}
            </h3>
            <span className="grow" />
            <button className="btn bare" type="button" onClick={() => select({ at: open.seq })}>
              Show this moment
            </button>
            <button className="btn bare" type="button" onClick={() => setOpen(undefined)}>
              Close
            </button>
          </div>
          <Code value={open} label={`Event ${open.seq}`} />
        </section>
      )}
      <div className={css.evsBox} ref={box}>
        <ul className={css.evs} ref={list} aria-label="Events">
          {from > 0 && <li style={{ height: from * ROW }} aria-hidden="true" className="gap" />}
          {rows.slice(from, to).map((event) => (
            <li key={event.seq} className={event === open ? css.on : undefined}>
              <button type="button" onClick={() => setOpen(event)}>
                <span className="num dim">{event.seq}</span>
                <span className="nowrap">{event.type}</span>
                <span className="cut mid">{aboutOf(event)}</span>
                <span className="num dim">{duration(event.at - story.began)}</span>
              </button>
            </li>
          ))}
          {to < rows.length && <li style={{ height: (rows.length - to) * ROW }} aria-hidden="true" className="gap" />}
        </ul>
      </div>
    </>
  )
}

function aboutOf(event: RunEvent): string {
  if ("tool" in event) return event.tool
  if ("message" in event) return event.message
  return "step" in event && event.step !== undefined ? event.step : ""
}
