// What the server of a tool asks while its call runs [T27]: a form, or something to do at an address of its own.

import { useState } from "react"
import { answerTo } from "../../../src/core/run/question/answer.ts"
import { question } from "../../../src/core/run/question/question.ts"
import { fields, text } from "../../../web/chat/ui-message.ts"
import { visible } from "../../../web/chat/wording.ts"
import { draftOf, fieldsOf, valuesOf, type Drafts } from "../parts/form-values.ts"
import { SchemaForm } from "../parts/schema-form.tsx"
import type { AskProps } from "./approval.tsx"
import { AskFrame } from "./ask-frame.tsx"
import { titleOf } from "../../../web/inbox/ask.ts"
import { FaultLine } from "./fault-line.tsx"
import { useKeys } from "../shell/keys.ts"
import { useAnswer } from "./use-answer.ts"

export function Elicitation({ api, ask, about, around, onDecided }: AskProps) {
  const { payload } = ask
  const { ways } = question(ask)
  const isForm = ways.fill !== undefined
  const form = fieldsOf(fields(payload["form"]), {})
  const [drafts, setDrafts] = useState<Drafts>(() => Object.fromEntries(form.map((field) => [field.name, draftOf(field, undefined)])))
  const [isTried, setTried] = useState(false)
  const { isSending, fault, send } = useAnswer(api, ask, onDecided)
  const read = valuesOf(form, drafts)
  const reply = (): void => {
    setTried(true)
    if (!isForm) send(answerTo(ask, "approve").body)
    else if (Object.keys(read.faults).length === 0) send(answerTo(ask, "fill", read.values).body)
  }
  useKeys("sending", { send: reply })
  const url = URL.parse(text(payload["url"]) ?? "")
  const acts = (
    <div className="bar">
      <button className="btn first" type="button" aria-disabled={isSending} onClick={reply}>
        {isSending ? "Checking" : (ways.fill ?? ways.approve)?.label} <kbd>Ctrl Enter</kbd>
      </button>
      <button className="btn" type="button" aria-disabled={isSending} onClick={() => send(answerTo(ask, "reject").body)}>
        {ways.reject?.label}
      </button>
      <button className="btn bare" type="button" aria-disabled={isSending} onClick={() => send(answerTo(ask, "cancel").body)}>
        {ways.cancel?.label}
      </button>
    </div>
  )
  return (
    <AskFrame ask={ask} about={about} around={around} title={titleOf(ask)} acts={acts}>
      <FaultLine fault={fault} />
      <p className="mid">
        Asked by the server <span className="mono">{visible(text(payload["host"]) ?? "")}</span> of the tool{" "}
        <span className="mono">{visible(text(payload["tool"]) ?? "")}</span>: what you write goes to it.
      </p>
      {isForm ? (
        <SchemaForm form={form} drafts={drafts} faults={isTried ? read.faults : {}} onChange={setDrafts} />
      ) : (
        <p className="words">
          {url?.protocol === "https:" || url?.protocol === "http:" ? (
            <a className="link" href={url.href} target="_blank" rel="noopener noreferrer nofollow">
              {url.href}
            </a>
          ) : (
            visible(text(payload["url"]) ?? "")
          )}
        </p>
      )}
    </AskFrame>
  )
}
