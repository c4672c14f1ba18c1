// A question of an agent or of the flow: a choice, several, yes or no, or words; and what its schema takes besides [Q1, Q2].

import { useRef, useState } from "react"
import type { Answer } from "../../../src/api/interactions.ts"
import type { Json } from "../../../src/core/json.ts"
import { fields, text } from "../../../web/chat/ui-message.ts"
import { visible } from "../../../web/chat/wording.ts"
import { Icon } from "../shell/icons.tsx"
import { useKeys } from "../shell/keys.ts"
import type { AskWish } from "./approval.tsx"
import { AskFrame } from "./ask-frame.tsx"
import { formWith, takesNotes, titleOf } from "./asking.ts"
import { FaultLine } from "./fault-line.tsx"
import { useSendKey } from "./send-key.ts"
import { useAnswer } from "./use-answer.ts"
import { useSeen } from "./use-seen.ts"

interface Option {
  readonly id: string
  readonly label: string
  readonly about?: string | undefined
  readonly to?: string | undefined
  /** undefined: words of the person's own, or the agent's choice. */
  readonly value?: Json
}

const MAX_KEYS = 9
/** Beyond so many characters of the head, the question has its own place. */
const LONG_TITLE = 160

export function Question({ api, ask, about, around, onDecided }: AskWish) {
  const { payload } = ask
  const isMany = payload["multiSelect"] === true
  const options = optionsOf(ask.payload, formWith(ask, "custom") !== undefined, formWith(ask, "auto") !== undefined)
  const isWords = options.every(({ value }) => value === undefined)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(isWords ? ["words"] : []))
  const [words, setWords] = useState(text(payload["defaultValue"]) ?? "")
  const [notes, setNotes] = useState("")
  const { isSending, fault, send, refuse } = useAnswer(api, ask, onDecided)
  const [list, foot, field] = [useRef<HTMLFieldSetElement>(null), useRef<HTMLElement>(null), useRef<HTMLTextAreaElement>(null)]
  const seen = useSeen(list, foot, `${ask.run} ${ask.id}`)
  const pick = (id: string): void => {
    const alone = !isMany || id === "custom" || id === "auto"
    setChosen((before) => {
      if (alone) return new Set([id])
      const rest = [...before].filter((one) => one !== id && one !== "custom" && one !== "auto")
      return new Set(before.has(id) ? rest : [...rest, id])
    })
  }
  const isOwn = chosen.has("custom") || isWords
  const answer = (): Answer | undefined => {
    const withNotes = takesNotes(ask) && notes.trim() !== "" ? { notes: notes.trim() } : {}
    if (chosen.has("auto")) return { auto: true }
    if (chosen.has("custom")) return words.trim() === "" ? undefined : { custom: words }
    if (isWords) return words.trim() === "" ? undefined : { answer: words, ...withNotes }
    const values = options.flatMap(({ id, value }) => (chosen.has(id) && value !== undefined ? [value] : []))
    const [first] = values
    if (isMany) return values.length === 0 ? undefined : { answer: values, ...withNotes }
    return first === undefined ? undefined : { answer: first, ...withNotes }
  }
  const reply = (): void => {
    const said = answer()
    if (said) send(said)
    else {
      refuse(isOwn ? "Write an answer first." : "Choose an answer first.")
      field.current?.focus()
    }
  }
  const keys = options.slice(0, MAX_KEYS).map(({ id }, at) => [String(at + 1), () => seen.isSettled() && pick(id)])
  useKeys(Object.fromEntries(keys))
  useSendKey(reply)
  const question = titleOf(ask)
  const isLong = question.length > LONG_TITLE
  const acts = (
    <div className="bar">
      <button className="btn first" type="button" aria-disabled={isSending} onClick={reply}>
        {isSending ? "Checking" : "Answer"} <kbd>Ctrl Enter</kbd>
      </button>
      <span className="grow" />
      {formWith(ask, "cancelled") !== undefined && (
        <button className={ask.kind === "fork" ? "btn danger" : "btn"} type="button" onClick={() => send({ cancelled: true })}>
          {ask.kind === "fork" ? "Cancel the run" : "Decline to answer"}
        </button>
      )}
    </div>
  )
  return (
    <AskFrame
      ask={ask}
      about={about}
      around={around}
      title={isLong ? "A question" : question}
      sub={about.view?.task}
      foot={foot}
      acts={acts}
    >
      <FaultLine fault={fault} />
      {isLong && <p className="words">{question}</p>}
      {!isWords && (
        <fieldset className="opts" ref={list}>
          <legend className="vh">{isMany ? "Choose any" : "Choose one"}</legend>
          {options.map(({ id, label, about: more, to }, at) => (
            <label key={id} className={chosen.has(id) ? "opt on" : "opt"}>
              <input
                type={isMany && id !== "custom" && id !== "auto" ? "checkbox" : "radio"}
                name={isMany ? undefined : "answer"}
                checked={chosen.has(id)}
                onChange={() => pick(id)}
                onClick={() => isMany && chosen.has(id) && pick(id)}
              />
              <span className="opt-t">
                <b>{visible(label)}</b>
                {more !== undefined && <span className="mid">{visible(more)}</span>}
              </span>
              {to !== undefined && (
                <span className="to">
                  <Icon name="right" kind="i-s" />
                  {visible(to)}
                </span>
              )}
              {at < MAX_KEYS && <kbd>{at + 1}</kbd>}
            </label>
          ))}
        </fieldset>
      )}
      {isOwn && (
        <div className="field">
          <label htmlFor="own-words">{isWords ? "Your answer" : "In your own words"}</label>
          <textarea
            id="own-words"
            ref={field}
            className="input"
            rows={4}
            maxLength={100_000}
            value={words}
            onChange={({ target }) => setWords(target.value)}
          />
        </div>
      )}
      {takesNotes(ask) && !chosen.has("auto") && !chosen.has("custom") && (
        <div className="field">
          <label htmlFor="answer-notes">
            Note <span className="hint">optional; the next step reads it</span>
          </label>
          <textarea
            id="answer-notes"
            className="input"
            rows={3}
            maxLength={10_000}
            value={notes}
            onChange={({ target }) => setNotes(target.value)}
          />
        </div>
      )}
    </AskFrame>
  )
}

function optionsOf(payload: AskWish["ask"]["payload"], hasCustom: boolean, hasAuto: boolean): Option[] {
  const given = Array.isArray(payload["options"]) ? payload["options"] : []
  const named: Option[] =
    payload["type"] === "confirm"
      ? [
          { id: "yes", label: "Yes", value: true },
          { id: "no", label: "No", value: false },
        ]
      : given.map((option, at) => {
          const label = typeof option === "string" ? option : (text(fields(option)["label"]) ?? "")
          const { description, target } = fields(option)
          return { id: `option-${at}`, label, about: text(description), to: text(target), value: label }
        })
  if (named.length === 0) return []
  return [
    ...named,
    ...(hasCustom ? [{ id: "custom", label: "Other", about: "Describe it; the agent reads your words" }] : []),
    ...(hasAuto ? [{ id: "auto", label: "Let the agent choose", about: "It decides, and says why" }] : []),
  ]
}
