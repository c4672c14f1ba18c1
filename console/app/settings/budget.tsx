// What the tenant may spend in a day and in one run, and what is spent and held of the day.

import { useState, type FormEvent } from "react"
import type { DayBudgetToday } from "../../../src/api/doc/settings.doc.ts"
import type { Amount, Unit } from "../../../src/core/money/amount.ts"
import type { BudgetSetting } from "../../../src/core/money/budget-setting.ts"
import { settingsOver } from "../../../src/client/settings.ts"
import { money, tokens } from "../parts/figures.ts"
import { amountDraft, AmountFields, amountOf, amountPlaces } from "./parts/amount.tsx"
import { wrongWith } from "./parts/wrong.ts"
import { Head } from "./parts/head.tsx"
import { AskedView } from "../parts/asked-view.tsx"
import { Saved, useSaving } from "./parts/saving.tsx"
import type { SectionProps } from "./section-props.ts"
import { useAsked } from "../parts/asked.ts"
import { classes } from "../parts/classes.ts"
import usageCss from "./usage/usage.module.css"
import css from "./settings.module.css"

export function BudgetSection({ api }: SectionProps) {
  const settings = settingsOver(api.transport)
  const loaded = useAsked(
    ["settings", "budget"],
    async () => {
      const [today, setting] = await Promise.all([settings.today(), settings.budget.get()])
      return { today, setting }
    },
    { isFresh: true },
  )
  return (
    <>
      <Head
        title="Budget"
        about="The most that all runs may use in a day, which ends at midnight UTC. A run that reaches it waits for the next day or for a person."
      />
      <AskedView what="the budget" of={loaded}>
        {({ today, setting }) => (
          <>
            <Today today={today} />
            <Form setting={setting} save={(next) => settings.budget.put(next)} onSaved={loaded.again} />
          </>
        )}
      </AskedView>
    </>
  )
}

const NAMES: Readonly<Record<Unit, string>> = { usd: "US dollars", tokens: "Tokens", tool_calls: "Tool calls", steps: "Steps" }

function Today({ today: { limit, spent, held } }: { readonly today: DayBudgetToday }) {
  const units = (Object.keys(NAMES) as Unit[]).filter((unit) => limit[unit] !== undefined)
  if (units.length === 0) return <p className="panel empty-state mid">There is no daily limit. Usage shows what has been spent.</p>
  return (
    <div className={classes("panel", usageCss.utab)}>
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
      <p className={classes("dim small", css.sfoot)}>
        Held is set aside for runs in progress. What they do not use is released when they end.
      </p>
    </div>
  )
}

const figure = (unit: Unit, amount: Amount): string => {
  const value = amount[unit] ?? 0
  return unit === "usd" ? money(value) : unit === "tokens" ? tokens(value) : value.toLocaleString()
}

interface Props {
  readonly setting: BudgetSetting
  readonly save: (setting: BudgetSetting) => Promise<BudgetSetting>
  readonly onSaved: () => void
}

const [DEFAULT, MOST] = ["/run/default", "/run/most"] as const
const PLACES = ["", DEFAULT, MOST].flatMap(amountPlaces)

function Form({ setting, save, onSaved }: Props) {
  const [day, setDay] = useState(() => amountDraft(setting))
  const [usual, setUsual] = useState(() => amountDraft(setting.run?.default ?? {}))
  const [most, setMost] = useState(() => amountDraft(setting.run?.most ?? {}))
  const saving = useSaving()
  const { faults } = wrongWith(saving.error, PLACES)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    saving.save(async () => {
      const run = { ...given("default", amountOf(usual, DEFAULT)), ...given("most", amountOf(most, MOST)) }
      await save({ ...amountOf(day), ...(Object.keys(run).length > 0 ? { run } : {}) })
      onSaved()
    })
  }
  return (
    <form className="panel" noValidate onSubmit={submit}>
      <div className="dlg-l">
        <h2>Daily limit</h2>
        <AmountFields draft={day} faults={faults} onChange={setDay} />
        <h2>One run, unless its flow or its start sets a limit</h2>
        <AmountFields draft={usual} faults={faults} onChange={setUsual} at={DEFAULT} which=", by default" />
        <h2>One run, in any case</h2>
        <AmountFields draft={most} faults={faults} onChange={setMost} at={MOST} which=", at most" />
        <p className="dim small">Both apply when a run begins. A person who answers its budget ask may raise them.</p>
        <Saved of={saving} places={PLACES} act="Save the limits" />
      </div>
    </form>
  )
}

const given = <Name extends string>(name: Name, amount: Amount): { readonly [N in Name]?: Amount } =>
  Object.keys(amount).length > 0 ? ({ [name]: amount } as { readonly [N in Name]?: Amount }) : {}
