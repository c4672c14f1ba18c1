// What waits for an answer, in groups, and below it what waits for a signal and what was answered last. Rows are of one height, so that of a long list
// only those in view are drawn.

import { useEffect, useRef } from "react"
import type { Asked } from "../../../src/api/doc/run/interactions.doc.ts"
import { isApproval } from "../../../src/core/run/question/question.ts"
import { lineOf, nameOf, titleOf } from "../../../web/inbox/ask.ts"
import { ageStep } from "../../../web/inbox/ask-filter.ts"
import type { AskGroup } from "../../../web/inbox/ask-groups.ts"
import { age, counted, fullTime } from "../parts/figures.ts"
import { SMALL, useMedia } from "../parts/use-media.ts"
import { useWindow } from "../parts/use-window.ts"
import { Icon } from "../shell/icons.tsx"
import { Link } from "../shell/link.tsx"
import { addressOf, useQuery } from "../shell/place.ts"
import type { AnsweredRows } from "./answered.ts"
import { AskFilters, clearFilter } from "./ask-filters.tsx"
import { kindOf, partsOf } from "./asking.ts"
import { isSame, type OpenAsks } from "./asks.ts"
import { PastRows } from "./past-rows.tsx"
import { SignalRows } from "./signals/signal-rows.tsx"
import type { AwaitedSignal } from "./signals/signals.ts"
import type { InboxRows } from "./use-inbox-rows.ts"
import { classes } from "../parts/classes.ts"
import inboxCss from "./inbox.module.css"
import css from "./ask-list.module.css"

/** As the style sheet has it. */
const ROW = 52

export const askAddress = (ask: Asked): string =>
  ask.run !== null && ask.kind === "effects" ? addressOf("inbox", "effects", ask.run) : addressOf("inbox", ...partsOf(ask))

interface Props {
  readonly waiting: OpenAsks
  readonly shown: InboxRows
  readonly answered: AnsweredRows
  readonly signals: readonly AwaitedSignal[]
  readonly open: Asked | undefined
  readonly openSignal: string | undefined
  readonly onAlike: (asks: readonly Asked[]) => void
}

export function AskList({ waiting: { asks, fault, isCut }, shown, answered, signals, open, openSignal, onAlike }: Props) {
  const { now, groups, rows, isFiltered, isSnoozedShown, folded, fold } = shown
  const [place, scroller] = [useRef<HTMLUListElement>(null), useRef<HTMLDivElement>(null)]
  const isSmall = useMedia(SMALL)
  const drawn = useWindow(place, rows.length, ROW, isSmall ? undefined : scroller)
  const chosen = open && nameOf(open)
  const at = rows.findIndex(({ ask }) => ask !== undefined && nameOf(ask) === chosen)
  useEffect(() => {
    if (at < 0 || isSmall || !scroller.current) return
    const { scrollTop, clientHeight } = scroller.current
    // The head of its group is in view with the first.
    const top = (at === 1 ? 0 : at) * ROW
    if (top < scrollTop) scroller.current.scrollTop = top
    else if ((at + 1) * ROW > scrollTop + clientHeight) scroller.current.scrollTop = (at + 1) * ROW - clientHeight
  }, [at, chosen, isSmall])
  const search = useQuery()
  const suffix = search.size === 0 ? "" : `?${search.toString()}`
  const total = groups?.reduce((sum, group) => sum + group.asks.length, 0) ?? 0
  return (
    <aside className={classes("panel", inboxCss.inl, css.list)} aria-label="Waiting for an answer">
      <div className="panel-head">
        <h2>{isSnoozedShown ? "Snoozed" : "Waiting"}</h2>
        {asks !== undefined && <span className="count">{total}</span>}
        <span className="grow" />
        <span className="dim small">{isCut ? "of the 200 oldest" : "oldest first"}</span>
      </div>
      {asks !== undefined && (asks.length > 1 || isFiltered) && <AskFilters asks={asks} />}
      {fault !== undefined && (
        <p className="note error" role="status">
          <span>{fault} These rows may be out of date. Trying again.</span>
        </p>
      )}
      <div className={css.scroll} ref={scroller}>
        {asks === undefined && fault === undefined && <Skeleton />}
        <ul
          ref={place}
          aria-label={`${counted(total, "ask")} in ${counted(groups?.length ?? 0, "group")}`}
          style={{ paddingTop: drawn.from * ROW, paddingBottom: (rows.length - drawn.to) * ROW }}
        >
          {rows.slice(drawn.from, drawn.to).map(({ ask, group }) =>
            ask === undefined ? (
              <li key={`group ${group.key}`}>
                <GroupHead group={group} isFolded={folded.has(group.key)} onFold={() => fold(group.key)} onAlike={onAlike} />
              </li>
            ) : (
              <li key={nameOf(ask)}>
                <Row ask={ask} href={askAddress(ask) + suffix} isOpen={open !== undefined && isSame(ask, open)} now={now} />
              </li>
            ),
          )}
        </ul>
        {asks !== undefined && rows.length === 0 && (
          <div className={inboxCss.none}>
            <p className="mid">
              {isFiltered ? "No ask matches." : isSnoozedShown ? "Nothing is snoozed." : "Nothing waits for an answer."}
            </p>
            {isFiltered && (
              <button className="btn" type="button" onClick={clearFilter}>
                Clear filter
              </button>
            )}
          </div>
        )}
        {!isSnoozedShown && <SignalRows signals={signals} open={openSignal} now={now} />}
        <PastRows answered={answered} open={open} now={now} />
      </div>
    </aside>
  )
}

interface HeadProps {
  readonly group: AskGroup<Asked>
  readonly isFolded: boolean
  readonly onFold: () => void
  readonly onAlike: (asks: readonly Asked[]) => void
}

function GroupHead({ group: { title, asks, alike }, isFolded, onFold, onAlike }: HeadProps) {
  return (
    <div className={css.group}>
      <button className={css.fold} type="button" aria-expanded={!isFolded} onClick={onFold}>
        <Icon name={isFolded ? "right" : "down"} kind="i-s dim" />
        <h3 className="cut">{title}</h3>
        <span className="count">{asks.length}</span>
      </button>
      {alike.length > 0 && (
        <button className="btn tiny" type="button" onClick={() => onAlike(alike)}>
          Answer {alike.length} alike
        </button>
      )}
    </div>
  )
}

interface RowProps {
  readonly ask: Asked
  readonly href: string
  readonly isOpen: boolean
  readonly now: number
}

function Row({ ask, href, isOpen, now }: RowProps) {
  const { icon, word } = kindOf(ask)
  const isOld = ageStep(ask.created, now) === 4
  return (
    <Link
      className={isOpen ? classes(inboxCss.it, css.row, inboxCss.on) : classes(inboxCss.it, css.row)}
      href={href}
      aria-current={isOpen ? "true" : undefined}
    >
      <Icon name={icon} kind="i waiting" label={word} />
      <b className={isApproval(ask) ? "cut mono" : "cut"}>{titleOf(ask)}</b>
      <span className={classes("num", isOld ? css.old : "dim")} title={fullTime(ask.created)}>
        {isOld && "▲ "}
        {age(Date.parse(ask.created), now)}
      </span>
      <span className={classes("cut", inboxCss.sub)} dir="auto">
        {lineOf(ask)}
      </span>
      {ask.run !== null && ask.risk === "high" && <span className="tag error">high risk</span>}
    </Link>
  )
}

/** Only what takes long enough to be noticed. */
function Skeleton() {
  return (
    <div className="late" role="status">
      <span className="vh">Loading asks</span>
      {[1, 2, 3, 4].map((n) => (
        <div className={inboxCss.it} key={n} aria-hidden>
          <span />
          <span className="skel" />
          <span />
          <span className={classes("skel", inboxCss.sub)} />
        </div>
      ))}
    </div>
  )
}
