// The fields of a form that say when a start becomes a run, and how many do [R23]: of a hook, a schedule and a new run.

import { useState } from "react"
import { asText, blockFrom, isEmptyBlock, type BlockFields } from "../../../../web/start/block-form.ts"
import { Icon } from "../../shell/icons.tsx"
import { ChoiceField, LinesField, TextField } from "./fields.tsx"
import type { Faults } from "./wrong.ts"
import css from "./start-block.module.css"

/** Pointers of the fields, as the server names them; the first that fits has the fault. */
export const START_PLACES = [
  "/start/concurrency/key",
  "/start/throttle/key",
  "/start/debounce/key",
  "/start/concurrency/overlap",
  "/start/concurrency",
  "/start/throttle/period",
  "/start/throttle",
  "/start/debounce",
  "/start/priority",
  "/start/delay",
  "/start/expires",
  "/start",
] as const

const OVERLAPS = [
  ["", "The start waits in line"],
  ["skip", "The start is skipped"],
  ["supersede", "The oldest run is canceled"],
] as const
const PRIORITIES = [
  ["", "As the flow says"],
  ["high", "High: first"],
  ["normal", "Normal"],
  ["low", "Low: last"],
] as const

interface Props {
  readonly fields: BlockFields
  readonly faults: Faults
  readonly label?: string
  /** What a key is here. */
  readonly keyHint: string
  readonly onChange: (fields: BlockFields) => void
}

export function StartBlock({ fields, faults, label = "When its runs start", keyHint, onChange }: Props) {
  const isWrong = Object.keys(faults).some((place) => place === "/start" || place.startsWith("/start/"))
  const [wantsOpen, setOpen] = useState(() => !isEmptyBlock(fields))
  const isOpen = wantsOpen || isWrong
  const at = (...places: readonly string[]): string | undefined => places.map((place) => faults[place]).find((fault) => fault !== undefined)
  const field = (name: Exclude<keyof BlockFields, "text">) => ({
    value: fields[name],
    onChange: (value: string): void => onChange({ ...fields, [name]: value }),
  })
  return (
    <div className={css.block}>
      <button className="btn bare" type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name={isOpen ? "down" : "right"} kind="i-s" />
        {label}
      </button>
      {isOpen && fields.text !== undefined && (
        <LinesField
          label={`${label} (JSON)`}
          hint="The start block of a flow's file, without a pool."
          fault={Object.entries(faults).find(([place]) => place.startsWith("/start"))?.[1]}
          value={fields.text}
          onChange={(text) => onChange({ ...fields, text })}
        />
      )}
      {isOpen && fields.text === undefined && (
        <>
          <div className={css.fields}>
            <TextField
              label="Key"
              isMono
              hint={keyHint}
              fault={at("/start/concurrency/key", "/start/throttle/key", "/start/debounce/key")}
              {...field("key")}
            />
            <TextField
              label="Merge starts for"
              placeholder="not at all"
              hint="Such as 20s: starts become one run once none has come for so long. The last one counts."
              fault={at("/start/debounce", "/start/debounce/period", "/start/batch")}
              {...field("merge")}
            />
            <TextField
              label="Runs at once"
              type="number"
              placeholder="no limit"
              fault={at("/start/concurrency", "/start/concurrency/limit")}
              {...field("limit")}
            />
            <ChoiceField
              label="When that many run"
              fault={at("/start/concurrency/overlap")}
              value={fields.overlap}
              options={OVERLAPS}
              onChange={field("overlap").onChange}
            />
            <TextField
              label="Runs that may begin"
              type="number"
              placeholder="no limit"
              fault={at("/start/throttle", "/start/throttle/limit")}
              {...field("rate")}
            />
            <TextField label="Within" placeholder="1h" fault={at("/start/throttle/period")} {...field("per")} />
            <ChoiceField
              label="Priority"
              fault={at("/start/priority")}
              value={fields.priority}
              options={PRIORITIES}
              onChange={field("priority").onChange}
            />
            <TextField label="Begin later by" placeholder="at once" fault={at("/start/delay")} {...field("delay")} />
            <TextField
              label="Give up after"
              placeholder="7d"
              hint="A run that has not begun by then fails."
              fault={at("/start/expires")}
              {...field("expires")}
            />
          </div>
          {at("/start") !== undefined && (
            <p className="msg error" role="alert">
              {at("/start")}
            </p>
          )}
          <button className="btn bare" type="button" onClick={() => onChange(asText(blockFrom(fields)))}>
            Write it as JSON
          </button>
        </>
      )}
    </div>
  )
}
