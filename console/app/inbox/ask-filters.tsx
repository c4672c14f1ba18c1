// The filter of the inbox: words, kind, flow, tag and age. It stands in the address.

import { useRef } from "react"
import type { Asked } from "../../../src/api/doc/run/interactions.doc.ts"
import { AGE_STEPS, choicesIn, FILTER_NAMES } from "../../../web/inbox/ask-filter.ts"
import type { Choice } from "../parts/choice.ts"
import { Select } from "../parts/select.tsx"
import { Icon } from "../shell/icons.tsx"
import { useKeys } from "../shell/keys.ts"
import { goQuery, useQuery } from "../shell/place.ts"
import css from "./ask-list.module.css"

type Name = (typeof FILTER_NAMES)[number]

export const clearFilter = (): void => goQuery(Object.fromEntries(FILTER_NAMES.map((name) => [name, undefined])))

export function AskFilters({ asks }: { readonly asks: readonly Asked[] }) {
  const query = useQuery()
  const field = useRef<HTMLInputElement>(null)
  useKeys("list", { filter: () => field.current?.focus() })
  const { kind, flow, tag } = choicesIn(asks)
  const named = (values: readonly string[]): Choice[] => values.map((value) => ({ value, words: value }))
  const fields: readonly (readonly [Name, string, readonly Choice[]])[] = [
    ["kind", "Kind", named(kind)],
    ["flow", "Flow", named(flow)],
    ["tag", "Tag", named(tag)],
    ["age", "Age", AGE_STEPS],
  ]
  return (
    <div className={css.filters} role="search" aria-label="Filter the asks">
      <label className={css.find}>
        <Icon name="search" kind="i-s dim" />
        <span className="vh">Find an ask</span>
        <input
          ref={field}
          className="input"
          type="search"
          placeholder="Find"
          autoComplete="off"
          spellCheck={false}
          value={query.get("q") ?? ""}
          onChange={({ target }) => goQuery({ q: target.value })}
          onKeyDown={(event) => {
            if (event.key !== "Escape") return
            event.preventDefault()
            goQuery({ q: undefined })
            field.current?.blur()
          }}
        />
        <kbd>/</kbd>
      </label>
      {fields.map(([name, label, choices]) => {
        const value = query.get(name) ?? ""
        if (choices.length === 0 && value === "") return null
        const known = choices.some((one) => one.value === value) || value === "" ? choices : [...choices, { value, words: value }]
        return (
          <Select
            key={name}
            aria-label={label}
            value={value}
            choices={[{ value: "", words: `Any ${label.toLowerCase()}` }, ...known]}
            onChange={(chosen) => goQuery({ [name]: chosen })}
          />
        )
      })}
    </div>
  )
}
