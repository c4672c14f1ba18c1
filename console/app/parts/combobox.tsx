// Shows a field with a list below it that gets shorter as one types. The library comes with the first such field; until then the field is there and
// can be typed in.

import { lazy, Suspense } from "react"
import type { ComboboxProps } from "./choice.ts"
import { classes } from "./classes.ts"

const ComboboxBox = lazy(async () => ({ default: (await import("./combobox-box.tsx")).ComboboxBox }))

export function Combobox(props: ComboboxProps) {
  return (
    <Suspense fallback={<Field {...props} />}>
      <ComboboxBox {...props} />
    </Suspense>
  )
}

function Field({ choices, onChange, isFree = false, className, value, ...field }: ComboboxProps) {
  const words = choices.find((one) => one.value === value)?.words ?? value
  return (
    <input
      {...field}
      className={classes("input", className)}
      autoComplete="off"
      readOnly={!isFree}
      value={words}
      onChange={({ target }) => onChange(target.value)}
    />
  )
}
