// Shows one of a few choices, each with a line that says what it means. The library comes with the first; until then the choice stands there as text.

import { lazy, Suspense } from "react"
import type { SelectProps } from "./choice.ts"
import { classes } from "./classes.ts"

const SelectBox = lazy(async () => ({ default: (await import("./select-box.tsx")).SelectBox }))

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
  return (
    <Suspense fallback={fallback}>
      <SelectBox {...field} className={className} choices={choices} value={value} onChange={take} isOff={isOff} />
    </Suspense>
  )
}
