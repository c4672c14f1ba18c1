// What waits for an answer, the most urgent first, and what was answered last.

import { useRef } from "react"
import type { Asked } from "../../../src/api/doc/run/interactions.doc.ts"
import { isApproval } from "../../../src/core/run/question/question.ts"
import { visible } from "../../../web/chat/wording.ts"
import { age, fullTime } from "../parts/figures.ts"
import { useChosenInView } from "../parts/use-chosen-in-view.ts"
import { Icon } from "../shell/icons.tsx"
import { Link } from "../shell/link.tsx"
import { addressOf } from "../shell/place.ts"
import type { AnsweredRows } from "./answered.ts"
import { kindOf, partsOf, placeOf, saidAs, titleOf } from "./asking.ts"
import { isSame, type Decided, type Waiting } from "./asks.ts"
import { classes } from "../parts/classes.ts"
import css from "./inbox.module.css"

export const askAddress = (ask: Asked): string =>
  ask.run !== null && ask.kind === "effects" ? addressOf("inbox", "effects", ask.run) : addressOf("inbox", ...partsOf(ask))

interface Props {
  readonly waiting: Waiting
  readonly answered: AnsweredRows
  readonly open: Asked | undefined
}

export function AskList({ waiting: { asks, fault, isCut }, answered: { rows: answered = [], more }, open }: Props) {
  const now = Date.now()
  const list = useRef<HTMLElement>(null)
  useChosenInView(list, open && `${open.run} ${open.id}`)
  return (
    <aside ref={list} className={classes("panel", css.inl)} aria-label="Waiting for an answer">
      <div className="panel-head">
        <h2>Waiting</h2>
        {asks !== undefined && <span className="count">{asks.length}</span>}
        <span className="grow" />
        <span className="dim small">{isCut ? "the first 200" : "most urgent first"}</span>
      </div>
      {fault !== undefined && (
        <p className="note error" role="status">
          <span>{fault} These are the rows of before; it is tried again.</span>
        </p>
      )}
      {asks === undefined && fault === undefined && <Skeleton />}
      <ul>
        {asks?.map((ask) => (
          <li key={`${ask.run} ${ask.id}`}>
            <Row ask={ask} isOpen={open !== undefined && isSame(ask, open)} now={now} />
          </li>
        ))}
      </ul>
      {asks?.length === 0 && <p className={classes(css.none, "mid")}>Nothing waits for an answer.</p>}
      {answered.length > 0 && (
        <>
          <div className={classes("panel-head", css.lab)}>
            <h2>Answered</h2>
          </div>
          <ul>
            {answered.map((one) => (
              <li key={`${one.ask.run} ${one.ask.id}`}>
                <Past one={one} isOpen={open !== undefined && isSame(one.ask, open)} now={now} />
              </li>
            ))}
          </ul>
          {more && (
            <button className="btn bare older" type="button" onClick={more}>
              Show older ones
            </button>
          )}
        </>
      )}
    </aside>
  )
}

function Row({ ask, isOpen, now }: { readonly ask: Asked; readonly isOpen: boolean; readonly now: number }) {
  const { icon, word } = kindOf(ask)
  return (
    <Link className={isOpen ? classes(css.it, css.on) : css.it} href={askAddress(ask)} aria-current={isOpen ? "true" : undefined}>
      <Icon name={icon} kind="i waiting" label={word} />
      <b className={isApproval(ask) ? "cut mono" : "cut"}>{titleOf(ask)}</b>
      <span className="num dim" title={fullTime(ask.created)}>
        {age(Date.parse(ask.created), now)}
      </span>
      <span className={classes("cut", css.sub)}>{placeOf(ask)}</span>
      {ask.run !== null && ask.risk === "high" && <span className="tag error">high risk</span>}
    </Link>
  )
}

function Past({ one: { ask, at }, isOpen, now }: { readonly one: Decided; readonly isOpen: boolean; readonly now: number }) {
  const { said, isNo } = saidAs(ask)
  const by = ask.by === undefined ? undefined : visible(ask.by)
  const words = [ask.run === null ? "outside a run" : ask.flow, by, at === undefined ? undefined : age(at, now)]
  return (
    <Link
      className={isOpen ? classes(css.it, css.past, css.on) : classes(css.it, css.past)}
      href={addressOf("inbox", ...partsOf(ask))}
      aria-current={isOpen ? "true" : undefined}
      title={at === undefined ? undefined : fullTime(at)}
    >
      <Icon name={isNo ? "x" : "check"} kind="i dim" />
      <span className="cut">{said}</span>
      <span />
      <span className={classes("cut", css.sub)}>{words.filter((word) => word !== undefined).join(", ")}</span>
    </Link>
  )
}

/** Only what takes long enough to be noticed. */
function Skeleton() {
  return (
    <div className="late" role="status">
      <span className="vh">Reading what waits</span>
      {[1, 2, 3, 4].map((n) => (
        <div className={css.it} key={n} aria-hidden>
          <span />
          <span className="skel" />
          <span />
          <span className={classes("skel", css.sub)} />
        </div>
      ))}
    </div>
  )
}
