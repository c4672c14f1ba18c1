// An open question of the run. The exact call is beside its buttons; nothing is chosen before, and nothing is timed.

import { useRef, useState } from "react"
import { answerTo } from "../../../src/core/run/question/answer.ts"
import type { Verb } from "../../../src/core/run/question/forms.ts"
import { question, whyAsked } from "../../../src/core/run/question/question.ts"
import { editable, visible } from "../../../web/chat/wording.ts"
import { Code } from "../parts/code.tsx"
import { faultOf } from "../parts/fault.ts"
import { MAY_NOT_ANSWER } from "../inbox/asking.ts"
import { UsedBudget } from "../parts/used-budget.tsx"
import { useSeen } from "../inbox/use-seen.ts"
import { useKeys } from "../shell/keys.ts"
import { Icon } from "../shell/icons.tsx"
import { Link } from "../shell/link.tsx"
import { addressOf } from "../shell/place.ts"
import { useMay, type Api } from "../shell/session.ts"
import type { RunFeed } from "./feed.ts"
import type { Ask } from "../../../src/core/run/views/outline.ts"
import { classes } from "../parts/classes.ts"
import css from "./detail/detail.module.css"

interface Props {
  readonly api: Api
  readonly feed: RunFeed
  readonly run: string
  readonly ask: Ask
}

export function Asks({ api, feed, run, ask }: Props) {
  const [fault, setFault] = useState<string>()
  const [isSending, setSending] = useState(false)
  const answer: Form["answer"] = (verb, given) => {
    if (isSending) return
    setSending(true)
    api.interactions
      .answer(run, ask.id, answerTo(ask, verb, given).body)
      .then(
        () => feed.look(),
        (error: unknown) => setFault(faultOf(error)),
      )
      .finally(() => setSending(false))
  }
  const mayAnswer = useMay("interactions:answer")
  const isCall = ask.kind === "approval.tool"
  return (
    <section aria-label={isCall ? "Approve this call?" : "A question"} className={css.asks}>
      <p className="bar">
        <span className="st waiting">
          <Icon name="waiting" />
          {isCall ? "Approve this call?" : titleOf(ask)}
        </span>
      </p>
      {!mayAnswer ? (
        <p className="mid">{MAY_NOT_ANSWER}</p>
      ) : isCall ? (
        <Approval ask={ask} answer={answer} isSending={isSending} />
      ) : (
        <Question run={run} ask={ask} answer={answer} isSending={isSending} />
      )}
      {fault !== undefined && (
        <p className="msg error" role="alert">
          <Icon name="failed" kind="i-s" />
          <span>{fault}</span>
        </p>
      )}
    </section>
  )
}

const titleOf = ({ kind }: Ask): string =>
  kind === "budget"
    ? "The budget is used"
    : kind === "effects"
      ? "Held calls wait for your decision"
      : kind === "approval.plan"
        ? "Approve this plan?"
        : "The agent asks"

interface Form {
  readonly ask: Ask
  readonly answer: (verb: Verb, given?: Readonly<Record<string, unknown>>) => void
  readonly isSending: boolean
}

interface Look {
  readonly kind?: string
  readonly isOff?: boolean
  readonly key?: string
}

function Approval({ ask, answer, isSending }: Form) {
  const { payload } = ask
  const [mode, setMode] = useState<"edit" | "reject">()
  const [text, setText] = useState("")
  const isFaulty = mode === "edit" && answerTo(ask, "edit", { args: text }).faults["args"] !== undefined
  const button = (label: string, act: () => void, { kind = "", isOff = isSending, key }: Look = {}) => (
    <button className={`btn ${kind}`} type="button" aria-disabled={isOff} aria-keyshortcuts={key} onClick={() => !isOff && act()}>
      {label} {key !== undefined && <kbd aria-hidden="true">{key}</kbd>}
    </button>
  )
  const [call, foot] = [useRef<HTMLDivElement>(null), useRef<HTMLDivElement>(null)]
  const { isSettled, isRead } = useSeen(call, foot, ask.id)
  const approve = (): void => answer("approve")
  const edit = (): void => {
    setText(editable(payload["args"]))
    setMode("edit")
  }
  const reject = (): void => {
    setText("")
    setMode("reject")
  }
  // Who presses A has seen the whole call.
  useKeys(
    "deciding",
    { approve: () => isRead() && !isSending && approve(), edit: () => isSettled() && edit(), reject: () => isSettled() && reject() },
    mode !== undefined,
  )
  return (
    <div className={css.asks} ref={call}>
      <p className="mono">
        <b>{visible(payload["tool"])}</b>
      </p>
      <Code value={payload["args"]} label="The call" />
      <p className={css.why}>{whyAsked(payload["reason"])} Nothing has run yet.</p>
      {mode !== undefined && (
        <label className="field">
          <span className="small">{mode === "edit" ? "Arguments, as JSON" : "Reason, for the agent (optional)"}</span>
          <textarea
            className={mode === "edit" ? "input mono" : "input"}
            rows={mode === "edit" ? 8 : 2}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        </label>
      )}
      {isFaulty && <p className="msg error">The arguments are not a JSON object.</p>}
      <div className={classes("bar", css.acts)} ref={foot}>
        {mode === undefined && button("Approve", approve, { kind: "first", key: "A" })}
        {mode === undefined && button("Edit", edit, { key: "E" })}
        {mode === undefined && button("Reject", reject, { key: "R" })}
        {mode === "edit" &&
          button("Approve edited call", () => answer("edit", { args: text }), { kind: "first", isOff: isSending || isFaulty })}
        {mode === "reject" && button("Reject", () => answer("reject", { feedback: text.trim() }), { kind: "first" })}
        {mode !== undefined && button("Back", () => setMode(undefined))}
      </div>
    </div>
  )
}

/** A choice, yes or no, or words; what needs more is answered in the inbox. */
function Question({ run, ask, answer, isSending }: Form & { readonly run: string }) {
  const { id, kind, payload } = ask
  const [text, setText] = useState("")
  const { ways } = question(ask)
  const [field] = ways.answer?.fields ?? []
  const isPlain = kind === "ask_user" && field?.kind !== "choices"
  const own: Verb | undefined = field?.kind === "text" ? "answer" : ways.custom ? "custom" : undefined
  return (
    <>
      {typeof payload["question"] === "string" ? (
        <p className={css.say} dir="auto">
          {visible(payload["question"])}
        </p>
      ) : kind === "budget" ? (
        <UsedBudget payload={payload} />
      ) : (
        <Code value={payload} label="What is asked" />
      )}
      {!isPlain && (
        <p className={css.why}>
          <Link className="link" href={addressOf("inbox", run, id)}>
            Answer it in the inbox
          </Link>
        </p>
      )}
      {isPlain && (
        <div className={classes("bar", css.acts)}>
          {field?.options.map(({ value, label }) => (
            <button key={label} className="btn" type="button" aria-disabled={isSending} onClick={() => answer("answer", { answer: value })}>
              {visible(label)}
            </button>
          ))}
        </div>
      )}
      {isPlain && own !== undefined && (
        <form
          className={css.steer}
          onSubmit={(event) => {
            event.preventDefault()
            if (text.trim() !== "") answer(own, { [own]: text })
          }}
        >
          <input className="input" aria-label="Your answer" value={text} onChange={({ target }) => setText(target.value)} />
          <button className="btn" type="submit" aria-disabled={isSending}>
            Send
          </button>
        </form>
      )}
    </>
  )
}
