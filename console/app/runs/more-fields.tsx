// Says what few starts need: tags, a budget, what becomes of effects, a thread, whether people are asked, a revision.

import { useId, useState, type ReactNode } from "react"
import type { MoreOfStart } from "../../../web/runs/start.ts"
import { Select } from "../parts/select.tsx"
import { Icon } from "../shell/icons.tsx"
import css from "./start.module.css"

interface Props {
  readonly more: MoreOfStart
  readonly faults: Readonly<Record<string, string>>
  readonly onMore: (more: MoreOfStart) => void
}

const EFFECTS = [
  { value: "", words: "Execute, unless a policy asks for more care" },
  { value: "staged", words: "Hold for approval" },
  { value: "dry", words: "Simulate" },
]
const PEOPLE = [
  { value: "", words: "As the flow says" },
  { value: "false", words: "May be asked" },
  { value: "true", words: "Are never asked" },
]

export function MoreFields({ more, faults, onMore }: Props) {
  const id = useId()
  const field = (name: keyof MoreOfStart) => ({
    id: `${id}${name}`,
    value: more[name] ?? "",
    "aria-invalid": faultIn(faults, name) !== undefined,
    "aria-describedby": `${id}${name}-fault`,
    onChange: ({ target }: { readonly target: { readonly value: string } }): void => onMore({ ...more, [name]: target.value }),
  })
  const choice = (name: keyof MoreOfStart) => ({ ...field(name), onChange: (value: string): void => onMore({ ...more, [name]: value }) })
  const row = (name: keyof MoreOfStart, label: string, node: ReactNode) => (
    <div className="field">
      <label htmlFor={`${id}${name}`}>{label}</label>
      {node}
      <p className="msg error" id={`${id}${name}-fault`} role="alert">
        {faultIn(faults, name)}
      </p>
    </div>
  )
  const [wantsOpen, setOpen] = useState(false)
  const isOpen =
    wantsOpen ||
    (["tags", "budget", "effects", "thread", "autonomous", "revision"] as const).some((name) => faultIn(faults, name) !== undefined)
  return (
    <div className={css.more}>
      <button className="btn bare" type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name={isOpen ? "down" : "right"} kind="i-s" />
        More
      </button>
      {isOpen && (
        <div className={css.fields}>
          {row("tags", "Tags, separated by commas", <input className="input" {...field("tags")} />)}
          {row("budget", "Budget in USD", <input className="input" inputMode="decimal" placeholder="none" {...field("budget")} />)}
          {row("effects", "Effects", <Select {...choice("effects")} choices={EFFECTS} />)}
          {row("autonomous", "People", <Select {...choice("autonomous")} choices={PEOPLE} />)}
          {row("thread", "Thread", <input className="input" placeholder="a new one" {...field("thread")} />)}
          {row("revision", "Revision", <input className="input" inputMode="numeric" placeholder="the newest" {...field("revision")} />)}
        </div>
      )}
    </div>
  )
}

/** The server names a part of a value, as `budget/usd`. */
const faultIn = (faults: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.entries(faults).find(([of]) => of === name || of.startsWith(`${name}/`))?.[1]
