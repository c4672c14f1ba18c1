// A form made of a JSON Schema: one field for each value, with what the schema says about it.

import { useId } from "react"
import { text } from "../../../web/chat/ui-message.ts"
import { visible } from "../../../web/chat/wording.ts"
import type { Drafts, FormField } from "./form-values.ts"
import { Select } from "./select.tsx"
import { classes } from "./classes.ts"
import css from "./schema-form.module.css"

interface Props {
  readonly form: readonly FormField[]
  readonly drafts: Drafts
  readonly faults: Readonly<Record<string, string>>
  /** Names of fields that differ from what was given. */
  readonly changed?: ReadonlySet<string>
  readonly onChange: (drafts: Drafts) => void
}

export function SchemaForm({ form, drafts, faults, changed, onChange }: Props) {
  return (
    <div className={css.form2}>
      {form.map((field) => (
        <Field
          key={field.name}
          field={field}
          draft={drafts[field.name]}
          fault={faults[field.name]}
          isChanged={changed?.has(field.name) === true}
          onDraft={(draft) => onChange({ ...drafts, [field.name]: draft })}
        />
      ))}
    </div>
  )
}

interface FieldProps {
  readonly field: FormField
  readonly draft: string | undefined
  readonly fault: string | undefined
  readonly isChanged: boolean
  readonly onDraft: (draft: string | undefined) => void
}

function Field({ field, draft, fault, isChanged, onDraft }: FieldProps) {
  const { name, kind, schema, isRequired, choices } = field
  const id = useId()
  const title = text(schema["title"])
  const hint = text(schema["description"])
  const common = {
    id,
    "aria-invalid": fault !== undefined,
    "aria-required": isRequired,
    "aria-describedby": `${id}-about`,
    className: `input mono${fault === undefined ? "" : " bad"}`,
  }
  const none = !isRequired || draft === undefined ? [{ value: "", words: "–" }] : []
  const take = (chosen: string): void => onDraft(chosen === "" ? undefined : chosen)
  const isWide = kind === "lines" || kind === "json"
  return (
    <div className={isWide ? classes("field", css.wide) : "field"}>
      <label htmlFor={id}>
        {visible(title ?? name)} {isChanged && <span className="tag running">changed</span>}
      </label>
      {kind === "choice" ? (
        <Select
          {...common}
          value={draft ?? ""}
          choices={[...none, ...choices.map((one, at) => ({ value: String(at), words: visible(one) }))]}
          onChange={take}
        />
      ) : kind === "yes" ? (
        <Select {...common} value={draft ?? ""} choices={[...none, { value: "true" }, { value: "false" }]} onChange={take} />
      ) : isWide ? (
        <textarea
          {...common}
          rows={Math.min(12, Math.max(3, (draft ?? "").split("\n").length))}
          spellCheck={kind === "lines"}
          value={draft ?? ""}
          onChange={({ target }) => onDraft(target.value)}
        />
      ) : (
        <input
          {...common}
          inputMode={kind === "number" ? "decimal" : undefined}
          autoComplete="off"
          value={draft ?? ""}
          onChange={({ target }) => onDraft(target.value)}
        />
      )}
      <p className={fault === undefined ? "hint" : "msg error"} id={`${id}-about`} role={fault === undefined ? undefined : "alert"}>
        {fault === undefined ? visible(hint ?? (kind === "json" ? "JSON" : "")) : `${visible(name)} ${fault}.`}
      </p>
    </div>
  )
}
