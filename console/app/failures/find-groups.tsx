// Narrows the groups to a flow, and to words of their messages.

import { useEffect, useMemo, useRef, useState, type RefObject } from "react"
import { Combobox } from "../parts/combobox.tsx"
import { useFlowNames } from "../runs/use-values.ts"
import { Icon } from "../shell/icons.tsx"
import { goQuery } from "../shell/place.ts"
import type { Api } from "../shell/session.ts"
import css from "./failures.module.css"

interface Props {
  readonly api: Api
  readonly flow: string
  readonly q: string
  readonly field: RefObject<HTMLInputElement | null>
}

/** What is typed is searched after this pause. */
const TYPED_MS = 250

export function FindGroups({ api, flow, q, field }: Props) {
  const [words, setWords] = useState(q)
  const [of, setOf] = useState(flow)
  const [isWriting, setWriting] = useState(false)
  const flows = useFlowNames(api, isWriting)
  const choices = useMemo(() => (flows ?? []).map((value) => ({ value })), [flows])
  // What the address says otherwise takes the place of what is written.
  const said = useRef({ q, flow })
  useEffect(() => {
    if (q !== said.current.q) setWords(q)
    if (flow !== said.current.flow) setOf(flow)
    said.current = { q, flow }
  }, [q, flow])
  useEffect(() => {
    if (words === q && of === flow) return
    const timer = setTimeout(() => {
      said.current = { q: words.trim(), flow: of.trim() }
      goQuery(said.current)
    }, TYPED_MS)
    return () => clearTimeout(timer)
  }, [words, of, q, flow])
  return (
    <div className={css.find} role="search" onFocus={() => setWriting(true)}>
      <label>
        <Icon name="search" kind="i-s dim" />
        <span className="vh">Search failures</span>
        <input
          ref={field}
          className="input"
          type="search"
          placeholder="Words from the message, step or source"
          value={words}
          onChange={({ target }) => setWords(target.value)}
          onKeyDown={({ key, currentTarget }) => key === "Escape" && currentTarget.blur()}
        />
      </label>
      <Combobox
        id="failures-flow"
        aria-label="Flow"
        placeholder="All flows, or support:*"
        value={of}
        choices={choices}
        isFree
        onChange={setOf}
      />
    </div>
  )
}
