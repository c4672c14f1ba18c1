// Says what was answered last, below what waits.

import type { Asked } from "../../../src/api/doc/run/interactions.doc.ts"
import { visible } from "../../../web/chat/wording.ts"
import { age, fullTime } from "../parts/figures.ts"
import { Icon } from "../shell/icons.tsx"
import { Link } from "../shell/link.tsx"
import { addressOf } from "../shell/place.ts"
import type { AnsweredRows } from "./answered.ts"
import { partsOf, saidAs } from "./asking.ts"
import { isSame, type Decided } from "./asks.ts"
import { classes } from "../parts/classes.ts"
import css from "./inbox.module.css"

interface Props {
  readonly answered: AnsweredRows
  readonly open: Asked | undefined
  readonly now: number
}

export function PastRows({ answered: { rows = [], more }, open, now }: Props) {
  if (rows.length === 0) return null
  return (
    <>
      <div className={classes("panel-head", css.lab)}>
        <h2>Answered</h2>
      </div>
      <ul>
        {rows.map((one) => (
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
