// The model's first answer, with its time and its cost.

import { duration, visible } from "../../../../web/chat/wording.ts"
import { consoleWords } from "../../../../web/faults/console-words.ts"
import { money } from "../../parts/figures.ts"
import { TextField } from "../parts/fields.tsx"
import { Step } from "./step.tsx"
import type { Connecting } from "./use-connect.ts"
import css from "./connect-model.module.css"

export function AnswerStep({ of: { draft, change, answer, usd, busy, isKnown, ask, wrong } }: { readonly of: Connecting }) {
  if (!isKnown) return <Step title="A first answer" number={4} state="later" />
  const about =
    answer?.ok === true
      ? [
          duration(answer.ms),
          ...(answer.usage ? [`${(answer.usage.input + answer.usage.output).toLocaleString()} tokens`] : []),
          usd === undefined ? "cost not known" : money(usd),
        ].join(", ")
      : undefined
  return (
    <Step title="A first answer" number={4} state={answer === undefined ? "now" : answer.ok ? "done" : "wrong"} about={about}>
      <div className={css.ask}>
        <TextField label="Ask" mark="ask" fault={wrong?.faults["/ask"]} value={draft.ask} onChange={(text) => change({ ask: text })} />
        {answer !== undefined && (
          <button className="btn" type="button" aria-disabled={busy !== undefined} onClick={ask}>
            Ask again
          </button>
        )}
      </div>
      {answer?.ok === true && (
        <div className={css.answer} role="status" ref={(box) => box?.scrollIntoView({ block: "nearest" })}>
          <span className="small dim mono">{visible(answer.model)}</span>
          <p dir="auto">{answer.message.trim() === "" ? "It answered without text." : visible(answer.message)}</p>
        </div>
      )}
      {answer?.ok === false && (
        <p className="msg error" role="alert">
          {visible(answer.model)} did not answer. {visible(consoleWords(answer.message).words)} Nothing was saved.
        </p>
      )}
    </Step>
  )
}
