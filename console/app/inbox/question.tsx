// A question of an agent or of the flow: a choice, several, yes or no, or words; and what its schema takes besides [Q1, Q2].

import { useRef, useState } from "react"
import type { Json } from "../../../src/core/json.ts"
import { answerTo } from "../../../src/core/run/question/answer.ts"
import type { QuestionOption } from "../../../src/core/run/question/fields.ts"
import { question, type QuestionModel } from "../../../src/core/run/question/question.ts"
import { text } from "../../../web/chat/ui-message.ts"
import { visible } from "../../../web/chat/wording.ts"
import { Icon } from "../shell/icons.tsx"
import { useKeys } from "../shell/keys.ts"
import type { AskProps } from "./approval.tsx"
import { AskFrame } from "./ask-frame.tsx"
import { titleOf } from "../../../web/inbox/ask.ts"
import { FaultLine } from "./fault-line.tsx"
import { useAnswer } from "./use-answer.ts"
import { useSeen } from "./use-seen.ts"
import { classes } from "../parts/classes.ts"
import css from "./question.module.css"

/** Without a value: words of the person's own, or the agent's choice. */
type Option = Omit<QuestionOption, "value"> & { readonly id: string; readonly value?: Json }

const MAX_KEYS = 9
/** Beyond so many characters of the head, the question has its own place. */
const LONG_TITLE = 160

export function Question({ api, ask, about, around, onDecided }: AskProps) {
  const { ways } = question(ask)
  const [field, note] = ways.answer?.fields ?? []
  const isMany = field?.kind === "choices"
  const options = optionsOf(ways)
  const isWords = options.length === 0
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(isWords ? ["words"] : []))
  const [words, setWords] = useState(text(field?.default) ?? "")
  const [notes, setNotes] = useState("")
  const { isSending, fault, send, refuse } = useAnswer(api, ask, onDecided)
  const [list, foot, area] = [useRef<HTMLFieldSetElement>(null), useRef<HTMLElement>(null), useRef<HTMLTextAreaElement>(null)]
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
  const reply = (): void => {
    const own = words.trim() === "" ? undefined : words
    const values = options.flatMap(({ id, value }) => (chosen.has(id) && value !== undefined ? [value] : []))
    const said = isWords ? own : isMany && values.length > 0 ? values : values[0]
    const { body, faults } = chosen.has("auto")
      ? answerTo(ask, "auto")
      : chosen.has("custom")
        ? answerTo(ask, "custom", { custom: own })
        : answerTo(ask, "answer", { answer: said, ...(note ? { notes: notes.trim() } : {}) })
    if (Object.keys(faults).length === 0) send(body)
    else {
      refuse(isOwn ? "Write an answer first." : "Choose an answer first.")
      area.current?.focus()
    }
  }
  useKeys("deciding", {
    nth({ key }) {
      // It chooses, and sends nothing: what is chosen is on the screen before it leaves.
      const option = options[Number(key) - 1]
      if (option) pick(option.id)
    },
  })
  const isTouched = chosen.size > (isWords ? 1 : 0) || notes !== "" || words !== (text(field?.default) ?? "")
  useKeys("sending", { send: () => (isTouched || seen.isMeant()) && reply() })
  const title = titleOf(ask)
  const isLong = title.length > LONG_TITLE
  const acts = (
    <div className="bar">
      <button className="btn first" type="button" aria-disabled={isSending} onClick={reply}>
        {isSending ? "Checking" : "Answer"} <kbd>Ctrl Enter</kbd>
      </button>
      <span className="grow" />
      {ways.cancel && (
        <button className={ask.kind === "fork" ? "btn danger" : "btn"} type="button" onClick={() => send(answerTo(ask, "cancel").body)}>
          {ask.kind === "fork" ? "Cancel the run" : ways.cancel.label}
        </button>
      )}
    </div>
  )
  return (
    <AskFrame
      ask={ask}
      about={about}
      around={around}
      title={isLong ? "A question" : title}

      foot={foot}
      acts={acts}
      isEarly={seen.isEarly}
    >
      <FaultLine fault={fault} />
      {isLong && <p className="words">{title}</p>}
      {!isWords && (
        <fieldset className={css.opts} ref={list}>
          <legend className="vh">{isMany ? "Choose any" : "Choose one"}</legend>
          {options.map(({ id, label, about: more, to }, at) => (
            <label key={id} className={chosen.has(id) ? classes(css.opt, css.on) : css.opt}>
              <input
                type={isMany && id !== "custom" && id !== "auto" ? "checkbox" : "radio"}
                name={isMany ? undefined : "answer"}
                checked={chosen.has(id)}
                onChange={() => pick(id)}
                onClick={() => isMany && chosen.has(id) && pick(id)}
              />
              <span className={css.optT}>
                <b>{visible(label)}</b>
                {more !== undefined && <span className="mid">{visible(more)}</span>}
              </span>
              {to !== undefined && (
                <span className={css.to}>
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
          <label htmlFor="own-words">{isWords ? field?.label : "In your own words"}</label>
          <textarea
            id="own-words"
            ref={area}
            className="input"
            rows={4}
            maxLength={100_000}
            value={words}
            onChange={({ target }) => setWords(target.value)}
          />
        </div>
      )}
      {note && !chosen.has("auto") && !chosen.has("custom") && (
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

function optionsOf({ answer, custom, auto }: QuestionModel["ways"]): Option[] {
  const named = (answer?.fields[0]?.options ?? []).map((option, at) => ({ ...option, id: `option-${at}` }))
  if (named.length === 0) return []
  return [
    ...named,
    ...(custom ? [{ id: "custom", label: "Other", about: "Describe it; the agent reads your words" }] : []),
    ...(auto ? [{ id: "auto", label: "Let the agent choose", about: "It decides, and says why" }] : []),
  ]
}
