// Says what the new runs do with calls that change something outside.

import type { BulkCounted } from "../../../../src/api/doc/run/bulk.doc.ts"
import css from "./bulk.module.css"

/** `same`: as each run had it. */
export type Leaving = "same" | "live" | "staged" | "dry"

interface Props {
  readonly action: "fork" | "again"
  readonly effects: BulkCounted["effects"]
  readonly value: Leaving
  readonly onChange: (value: Leaving) => void
}

export function Leaves({ action, effects: { live, staged, dry }, value, onChange }: Props) {
  const before = [
    [live, "execute"],
    [staged, "hold"],
    [dry, "simulate"],
  ] as const
  const had = before.flatMap(([count, does]) => (count === 0 ? [] : [`${count.toLocaleString()} ${does}`])).join(", ")
  const choices: readonly (readonly [Leaving, string, string])[] = [
    ["staged", "Hold for approval", "effects wait in the Inbox for one commit"],
    action === "again" ? ["same", "As each run had it", had] : ["live", "Execute", "calls leave as they are made"],
    ["dry", "Simulate", "nothing leaves"],
  ]
  return (
    <fieldset className={css.leaves}>
      <legend>What leaves</legend>
      {choices.map(([name, words, note]) => (
        <label key={name}>
          <input type="radio" name="leaves" checked={value === name} onChange={() => onChange(name)} />
          <span>
            <b>{words}</b>
            <span className="mid small">{note}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
