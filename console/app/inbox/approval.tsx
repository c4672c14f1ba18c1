// A call that waits for a person [Q3]: its exact bytes stand above the buttons. It may be approved, edited, or rejected with a word to the agent.

import { useRef, useState } from "react"
import type { Asked } from "../../../src/api/doc/run/interactions.doc.ts"
import { answerTo } from "../../../src/core/run/question/answer.ts"
import { EFFECT_WORDS, question } from "../../../src/core/run/question/question.ts"
import { fields } from "../../../web/chat/ui-message.ts"
import { visible } from "../../../web/chat/wording.ts"
import { counted } from "../parts/figures.ts"
import { Icon, type IconName } from "../shell/icons.tsx"
import { useKeys } from "../shell/keys.ts"
import type { Api } from "../shell/session.ts"
import { AskFrame } from "./ask-frame.tsx"
import type { Around } from "./frame.tsx"
import { toolIn } from "../../../web/inbox/ask.ts"
import { EditCall } from "./edit-call.tsx"
import { byteLength, Exact } from "./exact.tsx"
import { FaultLine } from "./fault-line.tsx"
import type { About } from "./use-about.ts"
import { useAnswer } from "./use-answer.ts"
import { useSeen } from "./use-seen.ts"
import css from "./inbox.module.css"

export interface AskProps {
  readonly api: Api
  readonly ask: Asked
  readonly about: About
  readonly around: Around
  readonly onDecided: (decided: Asked, isMine: boolean) => void
}

export function Approval({ api, ask, about, around, onDecided }: AskProps) {
  const [mode, setMode] = useState<"view" | "edit" | "reject">("view")
  const [why, setWhy] = useState("")
  const [call, foot] = [useRef<HTMLPreElement>(null), useRef<HTMLElement>(null)]
  const { payload } = ask
  const tool = toolIn(ask)
  const body = payload["body"]
  const exact = visible(body ?? payload["args"] ?? {})
  const size = byteLength(typeof body === "string" ? body : JSON.stringify(payload["args"] ?? {}))
  const { why: asked, ways } = question(ask)
  const { isSending, fault, send, refuse } = useAnswer(api, ask, onDecided)
  const seen = useSeen(call, foot, `${ask.run} ${ask.id} ${mode}`)
  const approve = (isByKey: boolean): void => {
    if (isByKey && !seen.isMeant()) return
    if (isByKey && !seen.isRead()) {
      refuse("Scroll to the end of the call first: A approves only what you have seen.")
      call.current?.lastElementChild?.scrollIntoView({ block: "center" })
    } else if (seen.isSettled()) send(answerTo(ask, "approve").body)
  }
  const reject = (): void => send(answerTo(ask, "reject", { feedback: why.trim() }).body)
  const canEdit = ways.edit !== undefined
  const back = (): void => setMode("view")
  useKeys(
    "deciding",
    {
      approve: () => approve(true),
      reject: () => seen.isMeant() && setMode("reject"),
      edit: canEdit ? () => seen.isMeant() && setMode("edit") : undefined,
    },
    mode !== "view",
  )
  useKeys("sending", { send: reject, leave: back }, mode !== "reject")
  const title = (
    <>
      Let {ask.run !== null && ask.agent !== undefined ? <span className="nowrap">{ask.agent}</span> : "the agent"} call{" "}
      <span className="mono">{tool}</span>?
    </>
  )
  const shared = {
    ask,
    about,
    around,
    title,
    foot,
    isEarly: seen.isEarly,
    side: (
      <section>
        <h3>Why you are asked</h3>
        <ul className={css.whys}>
          <Why icon="asks" is={ask.run !== null && ask.risk === "high"} words={asked ?? ""} />
          {(payload["effect"] === "write" || payload["effect"] === "read") && (
            <Why icon="shield" is={false} words={`${tool} ${EFFECT_WORDS[payload["effect"]]}.`} />
          )}
        </ul>
      </section>
    ),
  }
  if (mode === "edit")
    return (
      <EditCall
        api={api}
        tool={tool}
        args={fields(payload["args"])}
        isSending={isSending}
        fault={fault}
        onBack={back}
        onSend={(args) => send(answerTo(ask, "edit", { args }).body)}
      >
        {(form, acts) => (
          <AskFrame {...shared} acts={acts}>
            {form}
            <Said about={about} />
          </AskFrame>
        )}
      </EditCall>
    )
  const acts =
    mode === "reject" ? (
      <div className="bar">
        <button className="btn first" type="button" aria-disabled={isSending} onClick={reject}>
          Reject <kbd>Ctrl Enter</kbd>
        </button>
        <button className="btn" type="button" onClick={back}>
          Back <kbd>Esc</kbd>
        </button>
      </div>
    ) : (
      <div className="bar">
        <button className="btn first" type="button" aria-disabled={isSending} onClick={() => approve(false)}>
          {isSending ? "Checking" : "Approve"} <kbd>A</kbd>
        </button>
        {canEdit && (
          <button className="btn" type="button" onClick={() => setMode("edit")}>
            Edit <kbd>E</kbd>
          </button>
        )}
        <button className="btn" type="button" onClick={() => setMode("reject")}>
          Reject <kbd>R</kbd>
        </button>
      </div>
    )
  return (
    <AskFrame {...shared} acts={acts}>
      <FaultLine fault={fault} />
      <section>
        <h3>
          The exact {ask.kind === "approval.plan" ? "plan" : "call"}, {counted(size, "byte")}
        </h3>
        <Exact label={`The exact call of ${tool}`} node={call} name={tool} text={exact} />
        <p className="dim small">Approve sends these bytes and no others. Nothing has run yet.</p>
      </section>
      {mode === "reject" && (
        <div className="field">
          <label htmlFor="reject-why">
            Why not? <span className="hint">optional; the agent reads this and goes on</span>
          </label>
          <textarea
            id="reject-why"
            className="input"
            rows={4}
            maxLength={65_536}
            autoFocus
            value={why}
            onChange={({ target }) => setWhy(target.value)}
          />
        </div>
      )}
      <Said about={about} />
    </AskFrame>
  )
}

function Said({ about: { said } }: { readonly about: About }) {
  if (said === undefined) return null
  return (
    <section>
      <h3>What the agent said</h3>
      <p className="words">{visible(said)}</p>
    </section>
  )
}

function Why({ icon, is, words }: { readonly icon: IconName; readonly is: boolean; readonly words: string }) {
  return (
    <li>
      <Icon name={icon} kind={is ? "i-s waiting" : "i-s dim"} />
      <span>{words}</span>
    </li>
  )
}
