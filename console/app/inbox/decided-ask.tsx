// A question that is decided: who said what, and when. Its buttons are gone.

import { visible } from "../../../web/chat/wording.ts"
import { fullTime } from "../parts/figures.ts"
import { Icon } from "../shell/icons.tsx"
import type { Asked } from "../../../src/api/doc/run/interactions.doc.ts"
import { isApproval } from "../../../src/core/run/question/question.ts"
import { AskFrame } from "./ask-frame.tsx"
import type { Around } from "./frame.tsx"
import { titleOf, toolIn } from "../../../web/inbox/ask.ts"
import { saidAs } from "./asking.ts"
import { Exact } from "./exact.tsx"
import type { About } from "./use-about.ts"

interface Props {
  readonly ask: Asked
  readonly about: About
  readonly around: Around
  readonly at: number | undefined
  /** Somebody else was first. */
  readonly isLate: boolean
}

export function DecidedAsk({ ask, about, around, at, isLate }: Props) {
  const { said, isNo } = saidAs(ask)
  const by = ask.by === undefined ? "" : ` by ${visible(ask.by)}`
  const remark = [ask.answer?.["feedback"], ask.answer?.["notes"]].find((one) => typeof one === "string" && one !== "")
  const edited = ask.answer?.["args"]
  return (
    <AskFrame
      ask={ask}
      about={about}
      around={around}
      title={isApproval(ask) ? <span className="mono">{toolIn(ask)}</span> : titleOf(ask)}

      acts={<span className="dim">The first decision counts. Nothing is left to answer here.</span>}
    >
      <p className={isNo ? "note canceled" : "note complete"} role={isLate ? "alert" : undefined}>
        <Icon name={isNo ? "x" : "check"} kind={isNo ? "i canceled" : "i complete"} />
        <span className="words">
          {isLate && "Someone answered first. "}
          {said}
          {by}
          {at === undefined ? "." : `, ${fullTime(at)}.`}
          {remark !== undefined && `\n${visible(remark)}`}
        </span>
      </p>
      {isApproval(ask) && (
        <section>
          <h3>{edited === undefined ? "The call" : "The call as it was asked for"}</h3>
          <Exact label="The call" name={toolIn(ask)} text={visible(ask.payload["body"] ?? ask.payload["args"] ?? {})} />
        </section>
      )}
      {edited !== undefined && (
        <section>
          <h3>The call as it was approved</h3>
          <Exact label="The approved call" name={toolIn(ask)} text={visible(edited)} />
        </section>
      )}
    </AskFrame>
  )
}
