// Fields of the settings' forms: a label, the field, and below it what is wrong or what it is for.

import { type ReactNode, useId } from "react"
import { visible } from "../../../../web/chat/wording.ts"
import { Combobox } from "../../parts/combobox.tsx"
import { Select } from "../../parts/select.tsx"

interface Common {
  readonly label: string
  readonly hint?: string | undefined
  readonly fault?: string | undefined
}

interface Given extends Common {
  readonly value: string
  readonly onChange: (value: string) => void
}

interface Props {
  readonly id: string
  readonly className: string
  readonly "aria-invalid": boolean
  readonly "aria-describedby": string
}

function Labelled({
  label,
  hint,
  fault,
  isMono = false,
  children,
}: Common & { readonly isMono?: boolean; readonly children: (props: Props) => ReactNode }) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        className: `input${isMono ? " mono" : ""}${fault === undefined ? "" : " bad"}`,
        "aria-invalid": fault !== undefined,
        "aria-describedby": `${id}-about`,
      })}
      <p className={fault === undefined ? "hint" : "msg error"} id={`${id}-about`} role={fault === undefined ? undefined : "alert"}>
        {fault === undefined ? hint : visible(fault)}
      </p>
    </div>
  )
}

interface TextProps extends Given {
  /** `secret`: shown as dots, and no manager of passwords keeps it. */
  readonly type?: "text" | "secret" | "number"
  readonly isMono?: boolean
  readonly placeholder?: string
  readonly choices?: readonly string[]
}

export function TextField({ type = "text", isMono = false, placeholder, choices, value, onChange, ...common }: TextProps) {
  return (
    <Labelled isMono={isMono || type === "secret"} {...common}>
      {(props) =>
        choices === undefined ? (
          <input
            {...props}
            type={type === "secret" ? "password" : "text"}
            inputMode={type === "number" ? "decimal" : undefined}
            autoComplete={type === "secret" ? "new-password" : "off"}
            spellCheck={false}
            placeholder={placeholder}
            value={value}
            onChange={({ target }) => onChange(target.value)}
          />
        ) : (
          <Combobox
            {...props}
            isFree
            placeholder={placeholder}
            value={value}
            choices={choices.map((one) => ({ value: one }))}
            onChange={onChange}
          />
        )
      }
    </Labelled>
  )
}

export function LinesField({
  rows = 4,
  isMono = true,
  value,
  onChange,
  ...common
}: Given & { readonly rows?: number; readonly isMono?: boolean }) {
  return (
    <Labelled isMono={isMono} {...common}>
      {(props) => <textarea {...props} rows={rows} spellCheck={false} value={value} onChange={({ target }) => onChange(target.value)} />}
    </Labelled>
  )
}

interface ChoiceProps<T extends string> extends Common {
  readonly value: T
  readonly options: readonly (readonly [value: T, words: string])[]
  readonly onChange: (value: T) => void
}

export function ChoiceField<T extends string>({ value, options, onChange, ...common }: ChoiceProps<T>) {
  return (
    <Labelled {...common}>
      {(props) => <Select {...props} value={value} choices={options.map(([one, words]) => ({ value: one, words }))} onChange={onChange} />}
    </Labelled>
  )
}

interface CheckProps {
  readonly label: string
  readonly isOn: boolean
  readonly onChange: (isOn: boolean) => void
}

export function CheckField({ label, isOn, onChange }: CheckProps) {
  return (
    <label className="check">
      <input type="checkbox" checked={isOn} onChange={({ target }) => onChange(target.checked)} />
      <span>{label}</span>
    </label>
  )
}
