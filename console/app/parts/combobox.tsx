// Shows a field with a list below it that gets shorter as one types. The library comes with the first such field; until then the field is there and
// can be typed in.

import { Suspense, useEffect, useLayoutEffect, useRef, type RefObject } from "react"
import type { ComboboxProps } from "./choice.ts"
import { classes } from "./classes.ts"
import { Guard } from "./guard.tsx"
import { later } from "./later.ts"

const ComboboxBox = later(async () => (await import("./combobox-box.tsx")).ComboboxBox)

export function Combobox(props: ComboboxProps) {
  const isIn = useRef<Selected>(null)
  const field = <Field {...props} isIn={isIn} />
  return (
    <Guard of="" what="The list" instead={field}>
      <Suspense fallback={field}>
        <ComboboxBox {...props} />
        <GoOn id={props.id} isIn={isIn} />
      </Suspense>
    </Guard>
  )
}

/** What is selected in the field; null: nobody is in it. */
type Selected = readonly [number, number] | null

/** Who was in the first field is in the one that takes its place, with the same text selected: a dialog has put the focus there. */
function GoOn({ id, isIn }: { readonly id: string; readonly isIn: RefObject<Selected> }) {
  useEffect(() => {
    const field = document.getElementById(id)
    if (isIn.current && field instanceof HTMLInputElement) {
      field.focus()
      field.setSelectionRange(...isIn.current)
    }
    isIn.current = null
  }, [id, isIn])
  return null
}

function Field({
  choices,
  onChange,
  isFree = false,
  className,
  value,
  isIn,
  ...field
}: ComboboxProps & { readonly isIn: RefObject<Selected> }) {
  const node = useRef<HTMLInputElement>(null)
  useLayoutEffect(
    () => () => {
      const field = node.current
      isIn.current = field && field === document.activeElement ? [field.selectionStart ?? 0, field.selectionEnd ?? 0] : null
    },
    [isIn],
  )
  const words = choices.find((one) => one.value === value)?.words ?? value
  return (
    <input
      {...field}
      ref={node}
      className={classes("input", className)}
      autoComplete="off"
      readOnly={!isFree}
      // A dialog holds what is typed until then.
      data-reading={isFree ? undefined : ""}
      value={words}
      onChange={({ target }) => onChange(target.value)}
    />
  )
}
