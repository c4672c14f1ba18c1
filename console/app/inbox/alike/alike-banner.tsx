// Says beside an open ask that others are alike, and answers them together.

import type { Asked } from "../../../../src/api/doc/run/interactions.doc.ts"
import { compareCalls } from "../../../../web/inbox/alike.ts"
import { visible } from "../../../../web/chat/wording.ts"
import { counted } from "../../parts/figures.ts"
import { useKeys } from "../../shell/keys.ts"
import css from "../inbox.module.css"

/** More names than these are not read. */
const MAX_NAMES = 4

interface Props {
  /** With the open one. */
  readonly asks: readonly Asked[]
  readonly onAnswer: () => void
}

export function AlikeBanner({ asks, onAnswer }: Props) {
  useKeys("deciding", { alike: onAnswer })
  const isCall = asks[0]?.kind === "approval.tool"
  const { differing } = compareCalls(asks)
  const names = differing.slice(0, MAX_NAMES).map((name) => visible(name))
  const others = counted(asks.length - 1, "more ask is", "more asks are")
  return (
    <div className={css.alike}>
      <span className="grow">
        <b>{others} alike</b>
        {isCall ? ": the same tool, agent and reason" : ""}
        {isCall && names.length > 0 && `; only ${names.join(", ")}${differing.length > MAX_NAMES ? " and others" : ""} differ`}.
      </span>
      <button className="btn" type="button" onClick={onAnswer}>
        Answer all {asks.length} <kbd>Shift A</kbd>
      </button>
    </div>
  )
}
