// The query of the list: tokens that can be taken out, and a field for more of them and for words. Suggestions come while one writes.

import { useEffect, useId, useRef, useState, type RefObject } from "react"
import { shownMoment } from "../../../web/runs/moment.ts"
import {
  endOf,
  faultIn,
  lineOf,
  readAddress,
  readLine,
  searchOf,
  withToken,
  without,
  type Query,
  type Token,
} from "../../../web/runs/query.ts"
import { suggestions, type Suggestion, type Values } from "../../../web/runs/suggest.ts"
import { Icon } from "../shell/icons.tsx"
import { classes } from "../parts/classes.ts"
import css from "./query.module.css"

interface Props {
  readonly query: Query
  readonly field: RefObject<HTMLInputElement | null>
  readonly values: Values
  /** The id of a hook or schedule → what people call it. */
  readonly names: ReadonlyMap<string, string>
  readonly onChange: (query: Query) => void
  /** Somebody begins to write. */
  readonly onBegin: () => void
}

/** Words are searched after this pause. */
const TYPED_MS = 250

export function QueryBar({ query, field, values, names, onChange, onBegin }: Props) {
  const [text, setText] = useState(query.words)
  const [isOpen, setOpen] = useState(false)
  const [active, setActive] = useState<number>()
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  // What the address says otherwise than this field has said, such as a saved view, takes its place.
  const said = useRef(query.words)
  useEffect(() => {
    if (query.words === said.current) return
    said.current = query.words
    setText(query.words)
  }, [query.words])
  const latest = useRef(query)
  latest.current = query
  const send = (next: Query): void => {
    // As the address will say it.
    said.current = readAddress(new URLSearchParams(searchOf(next))).words
    onChange(next)
  }
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const found = isOpen ? suggestions(text, values) : []
  // A filter that is being written has its best value first; a word is a word unless the reader chooses.
  const at = active ?? (/^[a-z_]+:/i.test(text.slice(endOf(text))) ? 0 : -1)
  const chosen = found[at]
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" })
  }, [at])
  /** Takes what is written as tokens and words. */
  const take = (line: string, isDone: boolean): void => {
    clearTimeout(timer.current)
    setOpen(false)
    const { tokens, words } = readLine(line, !isDone)
    const next = tokens.reduce<Query>(withToken, { tokens: query.tokens, words })
    setText(isDone || words === "" ? words : line.endsWith(" ") ? `${words} ` : words)
    if (tokens.length > 0 || isDone) send(next)
  }
  const typed = (line: string): void => {
    setOpen(line !== "")
    setActive(undefined)
    if (readLine(line, true).tokens.length > 0) return take(line, false)
    setText(line)
    clearTimeout(timer.current)
    // A filter that is being written is no word.
    const end = endOf(line)
    const words = /^[a-z_]+:/i.test(line.slice(end)) ? line.slice(0, end).trim() : line.trim()
    timer.current = setTimeout(() => send({ tokens: latest.current.tokens, words }), TYPED_MS)
  }
  const pick = ({ line }: Suggestion): void => {
    const whole = text.slice(0, endOf(text)) + line
    setActive(undefined)
    if (!line.endsWith(":")) return take(whole, true)
    clearTimeout(timer.current)
    setText(whole)
    field.current?.focus()
  }
  const pressed = (event: React.KeyboardEvent<HTMLInputElement>): void => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (by !== undefined) {
      setOpen(true)
      if (found.length > 0) setActive((at + by + found.length + (at < 0 && by < 0 ? 1 : 0)) % found.length)
      event.preventDefault()
    } else if (event.key === "Enter") {
      if (chosen) pick(chosen)
      else {
        setOpen(false)
        take(text, true)
      }
      event.preventDefault()
    } else if (event.key === "Tab" && chosen && !event.shiftKey) {
      pick(chosen)
      event.preventDefault()
    } else if (event.key === "Escape") {
      if (found.length > 0) setOpen(false)
      else event.currentTarget.blur()
      event.stopPropagation()
    } else if (event.key === "Backspace" && text === "") {
      const last = query.tokens.at(-1)
      if (last) send(without(query, last.key))
    }
  }
  const now = Date.now()
  return (
    <div className={css.bar} role="search">
      <div className={css.qb} onClick={({ target, currentTarget }) => target === currentTarget && field.current?.focus()}>
        <Icon name="search" kind="i-s dim" />
        {query.tokens.map((token) => (
          <Shown
            key={token.key}
            token={token}
            name={names.get(token.value)}
            isBad={faultIn(token, [], now) !== undefined}
            onRemove={() => {
              send(without({ ...query, words: text.trim() }, token.key))
              field.current?.focus()
            }}
          />
        ))}
        <input
          ref={field}
          aria-label="Filter runs"
          role="combobox"
          aria-expanded={found.length > 0}
          aria-controls={`${id}list`}
          aria-activedescendant={chosen ? `${id}${at}` : undefined}
          aria-autocomplete="list"
          autoComplete="off"
          spellCheck={false}
          placeholder={query.tokens.length > 0 ? "and …" : "Words, or status: flow: tag: since:"}
          value={text}
          onFocus={onBegin}
          onChange={({ target }) => typed(target.value)}
          onKeyDown={pressed}
          onBlur={() => {
            setOpen(false)
            if (text.trim() !== query.words) take(text, true)
          }}
        />
        <kbd>/</kbd>
      </div>
      <div ref={list} id={`${id}list`} className={css.sugg} role="listbox" aria-label="Suggestions" hidden={found.length === 0}>
        {found.map((one, place) => (
          <div
            key={one.line}
            id={`${id}${place}`}
            role="option"
            aria-selected={place === at}
            // The field keeps the focus.
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => pick(one)}
          >
            <span className="cut">{one.words}</span>
            {one.note !== undefined && <span className="dim small cut">{one.note}</span>}
          </div>
        ))}
      </div>
      {query.tokens.map((token) => (
        <Fault
          key={lineOf(token)}
          token={token}
          flows={values.flow?.map(({ value }) => value) ?? []}
          now={now}
          onInstead={(instead) => send(withToken(without(query, token.key), instead))}
        />
      ))}
    </div>
  )
}

function Shown({
  token: { key, value },
  name,
  isBad,
  onRemove,
}: {
  readonly token: Token
  readonly name: string | undefined
  readonly isBad: boolean
  readonly onRemove: () => void
}) {
  const words = key === "since" || key === "until" ? shownMoment(value) : (name ?? value.replaceAll(",", ", "))
  return (
    <span className={isBad ? classes(css.tok, css.bad) : css.tok} title={name === undefined ? undefined : value}>
      <span className="dim">{key}:</span>
      <b>{words}</b>
      <button type="button" aria-label={`Remove ${key}: ${words}`} onClick={onRemove}>
        <Icon name="x" kind="i-s" />
      </button>
    </span>
  )
}

interface FaultProps {
  readonly token: Token
  readonly flows: readonly string[]
  readonly now: number
  readonly onInstead: (token: Token) => void
}

function Fault({ token, flows, now, onInstead }: FaultProps) {
  const fault = faultIn(token, flows, now)
  if (fault === undefined) return null
  const { words, instead } = fault
  return (
    <p className={css.fault} role="status">
      <Icon name="failed" kind="i-s" />
      <span>{words} The list leaves it out.</span>
      {instead !== undefined && (
        <button className="btn" type="button" onClick={() => onInstead(instead)}>
          Use {lineOf(instead)}
        </button>
      )}
    </p>
  )
}
