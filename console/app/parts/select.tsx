// Shows one of a few choices, each with a line that says what it means. The library comes with the first; until then the choice stands there as text.

import { Suspense } from "react"
import type { SelectProps } from "./choice.ts"
import { classes } from "./classes.ts"
import { Guard } from "./guard.tsx"
import { later } from "./later.ts"

const SelectBox = later(async () => (await import("./select-box.tsx")).SelectBox)

export function Select<T extends string>(props: SelectProps<T>) {
  const { choices, onChange, value, className, isOff = false, ...field } = props
  const take = (given: string): void => {
    const choice = choices.find((one) => one.value === given)
    if (choice) onChange(choice.value)
  }
  const words = choices.find((one) => one.value === value)?.words ?? value
  const fallback = (
    <button {...field} role="combobox" aria-expanded={false} className={classes("input", className)} type="button" disabled>
      {words}
    </button>
  )
  const plain = (
    <select {...field} className={classes("input", className)} value={value} disabled={isOff} onChange={({ target }) => take(target.value)}>
      {choices.map((one) => (
        <option key={one.value} value={one.value}>
          {one.words}
        </option>
      ))}
    </select>
  )
  return (
    <Guard of="" what="The list" instead={plain}>
      <Suspense fallback={fallback}>
        <SelectBox {...field} className={className} choices={choices} value={value} onChange={take} isOff={isOff} />
      </Suspense>
    </Guard>
  )
}
