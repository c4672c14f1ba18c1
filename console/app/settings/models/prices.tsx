// The tenant's own prices. They come before those of the list that is built in; a model without either has no known cost.

import { useState } from "react"
import type { Price } from "../../../../src/core/money/amount.ts"
import { settingsOver } from "../../../../src/client/settings.ts"
import { pointerStep } from "../../../../src/core/text/pointer.ts"
import { visible } from "../../../../web/chat/wording.ts"
import { AskOnce } from "../parts/ask-once.tsx"
import { TextField } from "../parts/fields.tsx"
import { FormDialog } from "../parts/form-dialog.tsx"
import { FormFault } from "../parts/wrong.ts"
import type { Choice } from "../../parts/choice.ts"
import { SavedAt, type Made } from "../parts/saving.tsx"
import { BuiltInPrices } from "./built-in-prices.tsx"
import { choicesOf, useOffers } from "./use-models.ts"
import { Head } from "../parts/head.tsx"
import { AskedView } from "../../parts/asked-view.tsx"
import { Row, Rows } from "../parts/row.tsx"
import type { SectionProps } from "../section-props.ts"
import { useAsked } from "../../parts/asked.ts"
import css from "../settings.module.css"

type Prices = Readonly<Record<string, Price>>

const KINDS = [
  ["input", "Input"],
  ["output", "Output"],
  ["cacheRead", "Read from cache (optional)"],
  ["cacheWrite", "Written to cache (optional)"],
] as const satisfies readonly (readonly [keyof Price, string])[]

export function PriceSection({ api }: SectionProps) {
  const setting = settingsOver(api.transport).prices
  const loaded = useAsked(["settings", "prices"], () => setting.get(), { isFresh: true })
  const [edited, setEdited] = useState<string>()
  const [made, setMade] = useState<Made>()
  const offers = useOffers(api)
  const [removed, setRemoved] = useState<string>()
  /** Read anew, so that what somebody else has written since stays. */
  const write = async (change: (prices: Prices) => Prices): Promise<void> => {
    await setting.put({ ...change(await setting.get()) })
    loaded.again()
  }
  return (
    <>
      <Head
        title="Prices"
        about="US dollars per million tokens. Yours override the built-in list; the cost of a model without a price is not known."
      >
        <SavedAt made={made} />
        <button className="btn first" type="button" onClick={() => setEdited("")}>
          Add a price
        </button>
      </Head>
      <AskedView what="the prices" of={loaded}>
        {(prices) => (
          <>
            <Rows
              label="Prices"
              isEmpty={Object.keys(prices).length === 0}
              empty="No price of your own. Known models have the price of the built-in list below."
            >
              {Object.entries(prices).map(([model, price]) => (
                <Row
                  key={model}
                  name={<span className="mono">{visible(model)}</span>}
                  about={KINDS.flatMap(([kind, words]) =>
                    price[kind] === undefined ? [] : [`${words.replace(" (optional)", "").toLowerCase()} $${price[kind]}`],
                  ).join(", ")}
                  actions={
                    <>
                      <button className="btn" type="button" aria-label={`Edit ${model}`} onClick={() => setEdited(model)}>
                        Edit
                      </button>
                      <button className="btn bare danger" type="button" aria-label={`Remove ${model}`} onClick={() => setRemoved(model)}>
                        Remove
                      </button>
                    </>
                  }
                />
              ))}
            </Rows>
            {edited !== undefined && (
              <PriceForm
                choices={choicesOf(offers.value ?? [])}
                model={edited}
                price={prices[edited]}
                onClose={() => setEdited(undefined)}
                send={async (model, price) => {
                  await write((before) => ({ ...before, [model]: price }))
                  setMade({ at: Date.now(), name: model })
                }}
              />
            )}
          </>
        )}
      </AskedView>
      <BuiltInPrices />
      {removed !== undefined && (
        <AskOnce
          title={`Remove the price of “${visible(removed)}”?`}
          act="Remove the price"
          onClose={() => setRemoved(undefined)}
          send={() => write((before) => Object.fromEntries(Object.entries(before).filter(([model]) => model !== removed)))}
        >
          <p>New runs use the price of the built-in list, if it has one.</p>
        </AskOnce>
      )}
    </>
  )
}

interface FormProps {
  readonly choices: readonly Choice[]
  /** "": a new one. */
  readonly model: string
  readonly price: Price | undefined
  readonly onClose: () => void
  readonly send: (model: string, price: Price) => Promise<void>
}

function PriceForm({ choices, model, price, onClose, send }: FormProps) {
  const [name, setName] = useState(model)
  const [drafts, setDrafts] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(KINDS.map(([kind]) => [kind, price?.[kind] === undefined ? "" : String(price[kind])])),
  )
  const step = pointerStep(name.trim())
  return (
    <FormDialog
      title={model === "" ? "Add a price" : `The price of “${visible(model)}”`}
      act="Save the price"
      places={[...KINDS.map(([kind]) => `${step}/${kind}`), step]}
      onClose={onClose}
      send={() => {
        const read = (kind: string): number | undefined => {
          const draft = drafts[kind] ?? ""
          if (draft.trim() === "") return undefined
          const value = Number(draft)
          if (!Number.isFinite(value)) throw new FormFault({ [`${step}/${kind}`]: "is not a number" })
          return value
        }
        const [input, output, cacheRead, cacheWrite] = [read("input"), read("output"), read("cacheRead"), read("cacheWrite")]
        if (input === undefined) throw new FormFault({ [`${step}/input`]: "is needed" })
        if (output === undefined) throw new FormFault({ [`${step}/output`]: "is needed" })
        return send(name.trim(), {
          input,
          output,
          ...(cacheRead === undefined ? {} : { cacheRead }),
          ...(cacheWrite === undefined ? {} : { cacheWrite }),
        })
      }}
    >
      {(faults) => (
        <>
          {model === "" && (
            <TextField
              label="Model"
              isMono
              size="middle"
              placeholder="provider/model"
              choices={choices}
              fault={faults[step]}
              value={name}
              onChange={setName}
            />
          )}
          <p className="small mid">US dollars per million tokens.</p>
          <div className={css.sfour}>
            {KINDS.map(([kind, words]) => (
              <TextField
                key={kind}
                label={words}
                type="number"
                fault={faults[`${step}/${kind}`]}
                value={drafts[kind] ?? ""}
                onChange={(draft) => setDrafts({ ...drafts, [kind]: draft })}
              />
            ))}
          </div>
        </>
      )}
    </FormDialog>
  )
}
