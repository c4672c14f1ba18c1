// Shows a field with a list below it that gets shorter as one types. The library comes with the first such field; until then the field is there and
// can be typed in.

import { lazy, Suspense, useLayoutEffect } from "react"
import type { ComboboxProps } from "./choice.ts"
import { classes } from "./classes.ts"

const ComboboxBox = lazy(async () => ({ default: (await import("./combobox-box.tsx")).ComboboxBox }))

export function Combobox(props: ComboboxProps) {
  return (
    <Suspense fallback={<Field {...props} />}>
      <ComboboxBox {...props} />
      <HandedOver id={props.id} />
    </Suspense>
  )
}

/** The field that had the focus when the other one came in its place: typing goes on there. */
let left: string | undefined

function HandedOver({ id }: { readonly id: string }) {
  useLayoutEffect(() => {
    if (left !== id) return
    left = undefined
    const field = document.getElementById(id)
    field?.focus()
    if (field instanceof HTMLInputElement) field.setSelectionRange(field.value.length, field.value.length)
  }, [id])
  return null
}

function Field({ choices, onChange, isFree = false, className, value, ...field }: ComboboxProps) {
  const words = choices.find((one) => one.value === value)?.words ?? value
  useLayoutEffect(
    () => () => {
      if (document.activeElement?.id === field.id) left = field.id
    },
    [field.id],
  )
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
