// A field with a list below it that gets shorter as one types. The library comes with the first such field; until then the field is there and
// can be typed in.

import { lazy, Suspense } from "react"
import { classes } from "./classes.ts"

export interface Choice {
  readonly value: string
  /** What is shown and looked through; the value itself if there is none. */
  readonly words?: string
  /** The dim words behind it. */
  readonly note?: string
}

export interface ComboboxProps {
  readonly id: string
  readonly value: string
  readonly choices: readonly Choice[]
  readonly onChange: (value: string) => void
  /** Whether a text that is not in the list is a value too. */
  readonly isFree?: boolean
  readonly className?: string | undefined
  readonly placeholder?: string | undefined
  readonly "aria-label"?: string
  readonly "aria-invalid"?: boolean
  readonly "aria-describedby"?: string
}

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
