// Says what is wrong with the line of the cursor, in the foot of an editor: while the line is typed, nothing moves in the text.

import { visible } from "../../../web/chat/wording.ts"
import type { CodeProblem } from "./code-props.ts"
import css from "./editor.module.css"

interface Props {
  readonly problems: readonly CodeProblem[]
  readonly line: number
  readonly onFix?: (problem: CodeProblem) => void
}

const LOOKS = { error: "msg error", warning: "msg waiting", info: "msg" } as const

export function LineProblem({ problems, line, onFix }: Props) {
  const found = problems.find((one) => one.line === line)
  if (found === undefined) return null
  const { severity, message, hint, write, fix } = found
  const words = visible([message, hint].filter((one) => one !== undefined).join(" "))
  return (
    <span className={css.foot}>
      <span className={LOOKS[severity]}>
        <span className="cut" title={words}>
          {words} {write !== undefined && <code>{visible(write.split("\n")[0] ?? "")}</code>}
        </span>
      </span>
      {fix !== undefined && onFix && (
        <button className="btn tiny" type="button" onClick={() => onFix(found)}>
          {fix} <kbd>Alt .</kbd>
        </button>
      )}
    </span>
  )
}
