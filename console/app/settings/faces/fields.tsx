// Fields of a form that has a text beside it: the label at the left, the value at the right, in accent where it differs from what is saved.

import { useId, useState, type ReactNode } from "react"
import { visible } from "../../../../web/chat/wording.ts"
import { at, type Path } from "../../../../web/setup/json-face.ts"
import { classes } from "../../parts/classes.ts"
import { Combobox } from "../../parts/combobox.tsx"
import type { Choice } from "../../parts/choice.ts"
import { Select } from "../../parts/select.tsx"
import { Icon } from "../../shell/icons.tsx"
import type { Face } from "./use-face.ts"
import css from "./faces.module.css"

interface LineProps {
  readonly label: string
  readonly about?: string | undefined
  readonly fault?: string | undefined
  readonly children: ReactNode
}

export function Line({ label, about, fault, children }: LineProps) {
  return (
    <div className={css.line}>
      <span className={css.lab}>
        {label}
        {about !== undefined && <small className="dim">{about}</small>}
      </span>
      <div className={css.val}>
        {children}
        {fault !== undefined && (
          <p className="msg error" role="alert">
            {visible(fault)}
          </p>
        )}
      </div>
    </div>
  )
}

interface OfProps {
  readonly face: Face
  readonly path: Path
  readonly label: string
  readonly about?: string
}

const namesAt = (document: unknown, path: Path): readonly string[] => {
  const value = at(document, path)
  return Array.isArray(value) ? value.map(String) : []
}

/** Names, one a token: what is written and entered is one more, × takes one away, and Backspace in the empty field the last. */
export function NamesField({
  face,
  path,
  label,
  about,
  choices,
  placeholder,
}: OfProps & { readonly choices: readonly Choice[]; readonly placeholder: string }) {
  const [typed, setTyped] = useState("")
  const id = useId()
  const names = namesAt(face.draft, path)
  const change = (next: readonly string[]): void => face.set(path, next.length === 0 ? emptyOf(face, path) : next)
  const add = (name: string): void => {
    setTyped("")
    if (name.trim() !== "" && !names.includes(name.trim())) change([...names, name.trim()])
  }
  const saved = new Set(namesAt(face.saved, path))
  return (
    <Line label={label} about={about} fault={face.faultAt(path)}>
      <div
        className={classes(css.toks, face.isChanged(path) && css.changed)}
        onKeyDown={(event) => {
          // What the list takes is no save of the form.
          if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) {
            if (!event.defaultPrevented) add(typed)
            event.preventDefault()
          } else if (event.key === "Backspace" && typed === "" && names.length > 0) change(names.slice(0, -1))
        }}
      >
        {names.map((name) => (
          <span key={name} className={classes(css.tok, !saved.has(name) && css.fresh)}>
            <b className="mono">{visible(name)}</b>
            <button type="button" aria-label={`Remove ${name}`} onClick={() => change(names.filter((one) => one !== name))}>
              <Icon name="x" kind="i-s" />
            </button>
          </span>
        ))}
        <Combobox
          id={id}
          isFree
          aria-label={label}
          placeholder={placeholder}
          choices={choices.filter(({ value }) => !names.includes(value))}
          value={typed}
          // A name that comes at once was taken from the list.
          onChange={(next) =>
            Math.abs(next.length - typed.length) > 1 && choices.some(({ value }) => value === next) ? add(next) : setTyped(next)
          }
        />
      </div>
    </Line>
  )
}

/** A list that was in the saved document stays as an empty one. */
const emptyOf = (face: Face, path: Path): [] | undefined => (Array.isArray(at(face.saved, path)) ? [] : undefined)
interface ChoiceProps<T extends string> extends OfProps {
  readonly options: readonly (readonly [value: T, words: string])[]
  /** Where the document says nothing. */
  readonly otherwise: T
}

export function PickField<T extends string>({ face, path, label, about, options, otherwise }: ChoiceProps<T>) {
  const value = face.at(path)
  const known = options.find(([one]) => one === value)?.[0] ?? otherwise
  return (
    <Line label={label} about={about} fault={face.faultAt(path)}>
      <Select
        aria-label={label}
        className={classes(css.pick, face.isChanged(path) && css.changed)}
        value={known}
        choices={options.map(([one, words]) => ({ value: one, words }))}
        onChange={(next) => face.set(path, next)}
      />
    </Line>
  )
}

interface NumberProps {
  readonly face: Face
  readonly path: Path
  readonly label: string
  readonly value: number | undefined
  readonly onValue: (value: number | undefined) => void
}

/** A number in a sentence. What is no number is kept as it was typed, and said. */
export function NumberIn({ face, path, label, value, onValue }: NumberProps) {
  const [draft, setDraft] = useState<string>()
  const isWrong = draft !== undefined && draft.trim() !== "" && !(Number(draft) >= 0)
  return (
    <input
      className={classes("input", css.num, face.isChanged(path) && css.changed, isWrong && "bad")}
      aria-label={label}
      aria-invalid={isWrong}
      inputMode="decimal"
      autoComplete="off"
      value={draft ?? (value === undefined ? "" : String(value))}
      onBlur={() => !isWrong && setDraft(undefined)}
      onChange={({ target }) => {
        setDraft(target.value)
        if (target.value.trim() === "") onValue(undefined)
        else if (Number(target.value) >= 0) onValue(Number(target.value))
      }}
    />
  )
}
