// Fields of the settings' forms: a label, the field, and below it what is wrong or what it is for.

import { type ReactNode, useId, useState } from "react"
import { visible } from "../../../../web/chat/wording.ts"
import { sentence } from "../../../../web/faults/sentence.ts"
import { classes } from "../../parts/classes.ts"
import type { Choice } from "../../parts/choice.ts"
import { Combobox } from "../../parts/combobox.tsx"
import { Select } from "../../parts/select.tsx"
import { Icon } from "../../shell/icons.tsx"
import css from "./fields.module.css"

interface Common {
  readonly label: string
  readonly hint?: string | undefined
  readonly fault?: string | undefined
  /** As wide as its values: a number, a name; absent: as wide as its form. */
  readonly size?: "short" | "middle" | undefined
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
  size,
  children,
}: Common & { readonly isMono?: boolean; readonly children: (props: Props) => ReactNode }) {
  const id = useId()
  return (
    <div className={classes("field", size === "short" && css.short, size === "middle" && css.middle)}>
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        className: `input${isMono ? " mono" : ""}${fault === undefined ? "" : " bad"}`,
        "aria-invalid": fault !== undefined,
        "aria-describedby": `${id}-about`,
      })}
      <p className={fault === undefined ? "hint" : "msg error"} id={`${id}-about`} role={fault === undefined ? undefined : "alert"}>
        {fault === undefined ? hint : visible(sentence(fault))}
      </p>
    </div>
  )
}

interface TextProps extends Given {
  /** `secret`: shown as dots, and no manager of passwords keeps it. */
  readonly type?: "text" | "secret" | "number"
  readonly isMono?: boolean
  readonly placeholder?: string | undefined
  readonly choices?: readonly (string | Choice)[] | undefined
  /** By which a form finds it. */
  readonly mark?: "ask"
}

export function TextField({ type = "text", isMono = false, placeholder, choices, mark, value, onChange, ...common }: TextProps) {
  return (
    <Labelled isMono={isMono || type === "secret"} {...common}>
      {(props) =>
        choices !== undefined ? (
          <Combobox
            {...props}
            isFree
            placeholder={placeholder}
            value={value}
            choices={choices.map((one) => (typeof one === "string" ? { value: one } : one))}
            onChange={onChange}
          />
        ) : type === "secret" ? (
          <SecretInput {...props} placeholder={placeholder} value={value} onChange={onChange} />
        ) : (
          <input
            {...props}
            {...(mark === undefined ? {} : { "data-ask": true })}
            inputMode={type === "number" ? "decimal" : undefined}
            autoComplete="off"
            spellCheck={false}
            placeholder={placeholder}
            value={value}
            onChange={({ target }) => onChange(target.value)}
          />
        )
      }
    </Labelled>
  )
}

interface SecretProps extends Props {
  readonly value: string
  readonly placeholder: string | undefined
  readonly onChange: (value: string) => void
}

function SecretInput({ onChange, ...field }: SecretProps) {
  const [isShown, setShown] = useState(false)
  return (
    <span className={css.secret}>
      <input
        {...field}
        type={isShown ? "text" : "password"}
        autoComplete="new-password"
        spellCheck={false}
        onChange={({ target }) => onChange(target.value)}
      />
      <button
        className="btn bare square"
        type="button"
        aria-pressed={isShown}
        aria-label="Show what was typed"
        onClick={() => setShown(!isShown)}
      >
        <Icon name="eye" />
      </button>
    </span>
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
