// A used-up budget [B2]: raise it, or stop. Nothing that is done is lost either way.

import { useState } from "react"
import { answerTo } from "../../../src/core/run/question/answer.ts"
import { question } from "../../../src/core/run/question/question.ts"
import { fields } from "../../../web/chat/ui-message.ts"
import { amount, type Amounts, numberOf, UNITS, UsedBudget } from "../parts/used-budget.tsx"
import type { AskProps } from "./approval.tsx"
import { AskFrame } from "./ask-frame.tsx"
import { FaultLine } from "./fault-line.tsx"
import { useKeys } from "../shell/keys.ts"
import { useAnswer } from "./use-answer.ts"
import css from "../parts/schema-form.module.css"

export function Budget({ api, ask, about, around, onDecided }: AskProps) {
  const { payload } = ask
  const [limit, spent, needed] = ["limit", "spent", "needed"].map((name): Amounts => fields(payload[name]))
  const { raise: way } = question(ask).ways
  const canRaise = way !== undefined
  const units = way?.fields.map(({ name }) => name) ?? []
  const [drafts, setDrafts] = useState(() =>
    Object.fromEntries(units.map((unit) => [unit, suggestion(unit, limit?.[unit], spent?.[unit], needed?.[unit])])),
  )
  const { isSending, fault, send, refuse } = useAnswer(api, ask, onDecided)
  const { faults } = answerTo(ask, "raise", drafts)
  const wanted = units.flatMap((unit): [string, number][] =>
    drafts[unit] === "" || faults[unit] !== undefined ? [] : [[unit, Number(drafts[unit])]],
  )
  const raise = (): void => {
    if (wanted.length === 0) refuse("Enter a limit above the amount already used.")
    else send(answerTo(ask, "raise", Object.fromEntries(wanted)).body)
  }
  useKeys("sending", { send: raise }, !canRaise)
  const acts = (
    <div className="bar">
      {canRaise && (
        <button className="btn first" type="button" aria-disabled={isSending} onClick={raise}>
          {isSending
            ? "Checking"
            : `Raise to ${wanted.map(([unit, value]) => `${amount(unit, value)}${unit === "usd" ? "" : ` ${UNITS[unit] ?? unit}`}`).join(", ") || "…"}`}{" "}
          <kbd>Ctrl Enter</kbd>
        </button>
      )}
      <button className="btn danger" type="button" aria-disabled={isSending} onClick={() => send(answerTo(ask, "stop").body)}>
        Stop run
      </button>
    </div>
  )
  return (
    <AskFrame
      ask={ask}
      about={about}
      around={around}
      title="The budget is used: raise it or stop?"

      acts={acts}
    >
      <FaultLine fault={fault} />
      <UsedBudget payload={payload} />
      {canRaise ? (
        <div className={css.form2}>
          {units.map((unit) => (
            <div className="field" key={unit}>
              <label htmlFor={`limit-${unit}`}>New limit, {UNITS[unit] ?? unit}</label>
              <input
                id={`limit-${unit}`}
                className="input"
                inputMode="decimal"
                autoComplete="off"
                value={drafts[unit] ?? ""}
                onChange={({ target }) => setDrafts({ ...drafts, [unit]: target.value })}
              />
            </div>
          ))}
        </div>
      ) : (
        <p className="mid">
          {payload["scope"] === "tenant"
            ? "This budget is in the settings: raise it there, or wait until its day is over."
            : "This budget comes from the run above; it cannot be raised here."}
        </p>
      )}
      <p className="dim small">Nothing already done is lost either way. Stop ends the run as failed, with the budget as its reason.</p>
    </AskFrame>
  )
}

/** Half as much again, and at least what the next call needs. */
function suggestion(unit: string, limit: unknown, spent: unknown, needed: unknown): string {
  const wanted = Math.max(numberOf(limit) * 1.5, numberOf(spent) + numberOf(needed))
  const cents = Math.ceil(wanted * 100) / 100
  return unit === "usd" ? String(cents > numberOf(limit) ? cents : numberOf(limit) * 1.5) : String(Math.ceil(wanted))
}
