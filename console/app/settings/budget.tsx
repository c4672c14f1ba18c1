// What the tenant may spend in a day, and what is spent and held of it today.

import { useState, type FormEvent } from "react"
import type { DayBudgetToday } from "../../../src/api/doc/settings.doc.ts"
import type { Amount, Unit } from "../../../src/core/money/amount.ts"
import { settingsOver } from "../../../src/client/settings.ts"
import { money, tokens } from "../parts/figures.ts"
import { AMOUNT_PLACES, amountDraft, AmountFields, amountOf } from "./parts/amount.tsx"
import { wrongWith } from "./parts/form-dialog.tsx"
import { Head } from "./parts/head.tsx"
import { Known } from "./parts/known.tsx"
import { Saved, useSaving } from "./parts/saving.tsx"
import type { SectionProps } from "./sections.tsx"
import { useAgain } from "./parts/use-again.ts"

export function BudgetSection({ api }: SectionProps) {
  const settings = settingsOver(api.transport)
  const loaded = useAgain("budget", () => settings.today())
  return (
    <>
      <Head
        title="Budget"
        about="The most that all runs may use in a day, which ends at midnight UTC. A run that finds nothing left waits for the next day or for a person. What one run may use is said by its flow, or by its start."
      />
      <Known what="the budget" of={loaded}>
        {(today) => (
          <>
            <Today today={today} />
            <Form
              key={JSON.stringify(today.limit)}
              limit={today.limit}
              save={(limit) => settings.budget.put(limit)}
              onSaved={loaded.again}
            />
          </>
        )}
      </Known>
    </>
  )
}

const NAMES: Readonly<Record<Unit, string>> = { usd: "US dollars", tokens: "Tokens", tool_calls: "Tool calls", steps: "Steps" }

function Today({ today: { limit, spent, held } }: { readonly today: DayBudgetToday }) {
  const units = (Object.keys(NAMES) as Unit[]).filter((unit) => limit[unit] !== undefined)
  if (units.length === 0) return <p className="panel empty-state mid">There is no daily limit. Usage says what is spent.</p>
  return (
    <div className="panel utab">
      <table className="tbl">
        <thead>
          <tr>
            <th scope="col">Today</th>
            <th scope="col" className="num">
              Spent
            </th>
            <th scope="col" className="num">
              Held
            </th>
            <th scope="col" className="num">
              Limit
            </th>
          </tr>
        </thead>
        <tbody>
          {units.map((unit) => (
            <tr key={unit}>
              <th scope="row">{NAMES[unit]}</th>
              <td className="num">{figure(unit, spent)}</td>
              <td className="num">{figure(unit, held)}</td>
              <td className="num">{figure(unit, limit)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="dim small sfoot">Held is leased to runs that go on: what they do not use comes back when they end.</p>
    </div>
  )
}

const figure = (unit: Unit, amount: Amount): string => {
  const value = amount[unit] ?? 0
  return unit === "usd" ? money(value) : unit === "tokens" ? tokens(value) : value.toLocaleString()
}

interface Wish {
  readonly limit: Amount
  readonly save: (limit: Amount) => Promise<Amount>
  readonly onSaved: () => void
}

function Form({ limit, save, onSaved }: Wish) {
  const [draft, setDraft] = useState(() => amountDraft(limit))
  const saving = useSaving()
  const faults = saving.error === undefined ? {} : wrongWith(saving.error, AMOUNT_PLACES).faults
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    saving.save(async () => {
      await save(amountOf(draft))
      onSaved()
    })
  }
  return (
    <form className="panel" noValidate onSubmit={submit}>
      <div className="dlg-l">
        <h2>Daily limit</h2>
        <AmountFields draft={draft} faults={faults} onChange={setDraft} />
        <Saved of={saving} places={AMOUNT_PLACES} act="Save the limit" />
      </div>
    </form>
  )
}
