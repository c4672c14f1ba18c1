// What a model said in a turn: its text, with the words that the recorded one does not have marked, and its calls with what the guard would do.

import { visible } from "../../../web/chat/wording.ts"
import { lineDiff } from "../parts/line-diff.ts"
import { Icon } from "../shell/icons.tsx"
import type { ColumnAnswer } from "../../../web/agent/column.ts"
import { classes } from "../parts/classes.ts"
import css from "./playground.module.css"

/** Tool → what becomes of its calls in the step. */
export type Verdicts = ReadonlyMap<string, "runs" | "asks" | "refused">

interface Props {
  readonly reply: ColumnAnswer["reply"]
  readonly against: ColumnAnswer["reply"] | undefined
  readonly verdicts: Verdicts
}

export function ReplyView({ reply, against, verdicts }: Props) {
  const { text, toolCalls } = reply
  return (
    <>
      {text !== "" && <p className="words">{against === undefined ? visible(text) : <Marked before={against.text} after={text} />}</p>}
      {toolCalls.map(({ name, args }, at) => {
        // Without the rules of the step there is nothing to say.
        const verdict = verdicts.size === 0 ? undefined : (verdicts.get(name) ?? "refused")
        const same = against?.toolCalls[at]
        const isOther = against !== undefined && (same?.name !== name || JSON.stringify(same.args) !== JSON.stringify(args))
        return (
          <div className={classes(css.pgCall, verdict && css[verdict])} key={`${at} ${name}`}>
            <p className="bar">
              <Icon name={verdict === "refused" ? "refused" : verdict === "asks" ? "asks" : "shield"} kind="i-s" />
              <b className="mono cut">{visible(name)}</b>
              {isOther && <span className="tag running">differs</span>}
              <span className="grow" />
              {verdict !== undefined && <span className="dim">{WORDS[verdict]}</span>}
            </p>
            <pre className="code wrap">{visible(args)}</pre>
          </div>
        )
      })}
      {text === "" && toolCalls.length === 0 && <p className="dim">It said nothing.</p>}
    </>
  )
}

const WORDS = { runs: "would run", asks: "would ask", refused: "would be refused" } as const

function Marked({ before, after }: { readonly before: string; readonly after: string }) {
  const words = lineDiff(pieces(before).join("\n"), pieces(after).join("\n")).filter(({ kind }) => kind !== "del")
  return words.map(({ kind, text }, at) => {
    const shown = `${visible(text.replaceAll("\u0000", "\n"))} `
    return kind === "add" ? <mark key={at}>{shown}</mark> : shown
  })
}

/** Words, with the line ends that follow them. */
const pieces = (text: string): string[] => text.replaceAll("\n", "\u0000 ").split(" ")
