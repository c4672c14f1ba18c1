// The fields of a budget: one for each unit, and an empty one is no limit.

import type { Amount, Unit } from "../../../../src/core/money/amount.ts"
import { TextField } from "./fields.tsx"
import { FormFault, type Faults } from "./wrong.ts"
import css from "../settings.module.css"

export type AmountDraft = Readonly<Record<Unit, string>>

const LABELS = {
  usd: "US dollars",
  tokens: "Tokens",
  tool_calls: "Tool calls",
  steps: "Steps",
} as const satisfies Readonly<Record<Unit, string>>
const UNITS = Object.keys(LABELS) as Unit[]

/** `at`: the pointer of the amount. */
export const amountPlaces = (at = ""): string[] => UNITS.map((unit) => `${at}/${unit}`)

export const amountDraft = (amount: Amount): AmountDraft => {
  const of = (unit: Unit): string => (amount[unit] === undefined ? "" : String(amount[unit]))
  return { usd: of("usd"), tokens: of("tokens"), tool_calls: of("tool_calls"), steps: of("steps") }
}

export function amountOf(draft: AmountDraft, at = ""): Amount {
  const amount: Partial<Record<Unit, number>> = {}
  const faults: Record<string, string> = {}
  for (const unit of UNITS) {
    if (draft[unit].trim() === "") continue
    const value = Number(draft[unit])
    if (Number.isFinite(value)) amount[unit] = value
    else faults[`${at}/${unit}`] = "is not a number"
  }
  if (Object.keys(faults).length > 0) throw new FormFault(faults)
  return amount
}

interface Props {
  readonly draft: AmountDraft
  readonly faults: Faults
  readonly onChange: (draft: AmountDraft) => void
  /** The pointer of the amount. */
  readonly at?: string
  /** What each label ends with, where a page has several amounts. */
  readonly which?: string
}

export function AmountFields({ draft, faults, onChange, at = "", which = "" }: Props) {
  return (
    <div className={css.sfour}>
      {UNITS.map((unit) => (
        <TextField
          key={unit}
          label={LABELS[unit] + which}
          type="number"
          placeholder="no limit"
          fault={faults[`${at}/${unit}`]}
          value={draft[unit]}
          onChange={(value) => onChange({ ...draft, [unit]: value })}
        />
      ))}
    </div>
  )
}
