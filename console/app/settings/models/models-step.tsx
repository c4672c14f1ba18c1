// The two models that every flow can use, from the provider's own list, with their prices. A price that nobody knows is asked for.

import type { Choice } from "../../parts/choice.ts"
import { listPrice } from "../../../../src/core/money/prices.ts"
import { CheckField, TextField } from "../parts/fields.tsx"
import { Step } from "./step.tsx"
import type { Connecting } from "./use-connect.ts"
import { priceWords } from "./use-models.ts"
import css from "./connect-model.module.css"

interface Props {
  readonly of: Connecting
  readonly roles: Readonly<Record<string, unknown>>
}

export function ModelsStep({ of, roles }: Props) {
  const { draft, change, list, isKnown, wrong } = of
  if (!isKnown) return <Step title="Models" number={3} state="later" />
  const choices: Choice[] = (list?.models ?? []).map(({ id, name }) => {
    const price = listPrice(draft.kind, id)
    const note = [name, price && priceWords(price)].filter((one) => one !== undefined).join(", ")
    return { value: id, ...(note === "" ? {} : { note }) }
  })
  const asks = [...new Set([draft.standard, draft.fast])].filter((model) => model !== "" && listPrice(draft.kind, model) === undefined)
  return (
    <Step title="Models" number={3} state={draft.standard === "" ? "now" : "done"}>
      {choices.length === 0 && <p className="mid small">This server does not list its models. Enter a model’s name.</p>}
      <div className={css.pair}>
        <div>
          <TextField
            label="Default: writes and decides"
            isMono
            choices={choices}
            fault={wrong?.faults["/model"]}
            hint={hintOf(of, draft.standard)}
            value={draft.standard}
            onChange={(standard) => change({ standard, ...(draft.fast === "" || draft.fast === draft.standard ? { fast: standard } : {}) })}
          />
          <Takes role="default" was={roles["default"]} isOn={draft.takesStandard} onChange={(takesStandard) => change({ takesStandard })} />
        </div>
        <div>
          <TextField
            label="Fast: sorts and reads"
            isMono
            choices={choices}
            hint={hintOf(of, draft.fast)}
            value={draft.fast}
            onChange={(fast) => change({ fast })}
          />
          <Takes role="fast" was={roles["fast"]} isOn={draft.takesFast} onChange={(takesFast) => change({ takesFast })} />
        </div>
      </div>
      {asks.map((model) => {
        const [input, output] = draft.prices[model] ?? ["", ""]
        const set = (next: readonly [string, string]): void => change({ prices: { ...draft.prices, [model]: next } })
        return (
          <fieldset className={css.price} key={model}>
            <legend className="small">
              Price of <span className="mono">{model}</span>, US dollars per million tokens <span className="dim">(optional)</span>
            </legend>
            <TextField label="Input" type="number" size="short" value={input} onChange={(text) => set([text, output])} />
            <TextField label="Output" type="number" size="short" value={output} onChange={(text) => set([input, text])} />
          </fieldset>
        )
      })}
    </Step>
  )
}

function hintOf({ priceOf }: Connecting, model: string): string {
  const price = priceOf(model)
  return model === "" ? "" : price === undefined ? "Price unknown: its cost is not counted." : `${priceWords(price)} per million tokens`
}

/** A role that names a model already keeps it unless it is said otherwise. */
function Takes({
  role,
  was,
  isOn,
  onChange,
}: {
  readonly role: string
  readonly was: unknown
  readonly isOn: boolean
  readonly onChange: (isOn: boolean) => void
}) {
  if (was === undefined) return null
  const now = [was].flat().map(String).join(", ")
  return <CheckField label={`Use it as ${role}, which is now ${now}`} isOn={isOn} onChange={onChange} />
}
