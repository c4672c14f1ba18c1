// The axis of the timeline: its marks, and the gaps in which nothing works. Dragging over it shows that part alone.

import { useRef, useState, type PointerEvent } from "react"
import type { Axis, Gap, Stretch } from "../../../../web/run/axis.ts"
import type { RunOutline } from "../../../../src/core/run/views/outline.ts"
import { classes } from "../../parts/classes.ts"
import { duration, shortDuration } from "../../parts/figures.ts"
import { useWidth } from "../../parts/use-width.ts"
import css from "./timeline.module.css"

/** In percent: less is a click. */
const LEAST_DRAG = 2
/** In percent: a narrower gap has no room for its length. */
const LABELED = 4
/** In percent: the words of a gap that ends here grow to the left. */
const AT_END = 98

/** A narrow track names fewer marks: one has room for its words. */
const MARK_PX = 56
/** Of one character of a gap's name. */
const NAME_PX = 7

const nameOf = (gap: Gap): string => `⋯ ${shortDuration(gap.to - gap.from)}`

interface Props {
  readonly axis: Axis
  readonly story: RunOutline
  readonly onSpan: (span: Stretch | undefined) => void
}

export function AxisTrack({ axis, story, onSpan }: Props) {
  const track = useRef<HTMLSpanElement>(null)
  const [drag, setDrag] = useState<{ readonly from: number; readonly to: number }>()
  const width = useWidth(track)
  // In percent: no mark stands where a gap says its length.
  const named = (gap: Gap): number => (width === 0 || gap.width < LABELED ? 0 : ((nameOf(gap).length + 1) * NAME_PX * 100) / width)
  const room = width === 0 ? 0 : (MARK_PX * 100) / width
  const marks: (typeof axis.marks)[number][] = []
  for (const mark of axis.marks) if (mark.left - (marks.at(-1)?.left ?? -100) >= room) marks.push(mark)
  const placeOf = ({ clientX }: PointerEvent): number => {
    const box = track.current?.getBoundingClientRect()
    return box === undefined || box.width === 0 ? 0 : Math.min(100, Math.max(0, ((clientX - box.left) / box.width) * 100))
  }
  const end = (): void => {
    if (drag && Math.abs(drag.to - drag.from) >= LEAST_DRAG) {
      const [from, to] = [Math.min(drag.from, drag.to), Math.max(drag.from, drag.to)]
      onSpan({ from: axis.timeAt(from), to: axis.timeAt(to) })
    }
    setDrag(undefined)
  }
  return (
    <span
      className={classes(css.track, css.drag)}
      ref={track}
      title="Drag to see a part; double-click for the whole run"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        setDrag({ from: placeOf(event), to: placeOf(event) })
      }}
      onPointerMove={(event) => {
        if (drag) setDrag({ ...drag, to: placeOf(event) })
      }}
      onPointerUp={end}
      onPointerCancel={() => setDrag(undefined)}
      onDoubleClick={() => onSpan(undefined)}
    >
      {axis.gaps.map((gap) => (
        <span
          key={gap.from}
          className={classes(css.gap, gap.left + gap.width > AT_END && css.gapEnd)}
          style={{ left: `${gap.left}%`, width: `${gap.width}%` }}
          title={gapWords(gap, story)}
        >
          {gap.width >= LABELED && nameOf(gap)}
        </span>
      ))}
      {marks
        .filter(({ left }) => !axis.gaps.some((gap) => left > gap.left - LABELED && left < gap.left + Math.max(gap.width, named(gap))))
        .map(({ at, left }) => (
          <i key={at} style={{ left: `${left}%` }}>
            {at === 0 ? "0:00" : duration(at)}
          </i>
        ))}
      {drag && (
        <span className={css.dragged} style={{ left: `${Math.min(drag.from, drag.to)}%`, width: `${Math.abs(drag.to - drag.from)}%` }} />
      )}
    </span>
  )
}

/** The ground of the gaps in a row. */
export const Gaps = ({ axis }: { readonly axis: Axis }) =>
  axis.gaps.map(({ from, left, width }) => <span key={from} className={css.gapGround} style={{ left: `${left}%`, width: `${width}%` }} />)

function gapWords(gap: Gap, story: RunOutline): string {
  const meets = ({ from, to = Number.MAX_SAFE_INTEGER }: { readonly from: number; readonly to?: number | undefined }): boolean =>
    from < gap.to && to > gap.from
  const passes = [...story.steps.values()].flatMap((step) => step.passes)
  const length = duration(gap.to - gap.from)
  if (story.pauses.some(meets)) return `${length} in which nothing works: the run is paused`
  if (passes.some(({ asks }) => asks.some(({ begun, ended }) => meets({ from: begun, to: ended }))))
    return `${length} in which nothing works: a person is asked`
  if (passes.some(({ works }) => works.some(({ kind, begun, ended }) => kind === "wait" && meets({ from: begun, to: ended }))))
    return `${length} in which nothing works: a step waits for a signal or a time`
  return `${length} in which nothing works`
}
