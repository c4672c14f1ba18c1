// One file of the catalog in the editor: as it is stored, and as it is written here. What is not saved stays: through a reload, through a visit
// to a run, and through a save that fails. Nothing is saved by itself.

import { useCallback, useEffect, useRef, useState } from "react"
import type { Definition } from "../../../src/api/doc/catalog.doc.ts"
import { SluiceError } from "../../../src/client/transport/sluice-error.ts"
import { useAsked } from "../parts/asked.ts"
import { faultOf } from "../parts/fault.ts"
import { serverState } from "../shell/server-state.ts"
import type { Api } from "../shell/session.ts"
import { forgetDraft, keep, keptOf, keyOf, type FileName } from "./kept-drafts.ts"

export type { FileName }

export interface FlowDraft {
  readonly state: "loading" | "open" | "missing" | "unread"
  readonly text: string
  /** undefined: it is not stored. */
  readonly saved: Definition | undefined
  readonly isChanged: boolean
  readonly isSaving: boolean
  /** Why it could not be read or saved. */
  readonly fault: string | undefined
  /** The refusal of the gate; the text is not saved. */
  readonly gate: SluiceError | undefined
  /** Somebody else has saved it since: what is stored now. null: it was removed. */
  readonly conflict: Definition | null | undefined
  /** Counts what was saved here. */
  readonly turn: number
  /** When that was last. */
  readonly savedAt: number | undefined
  write(text: string): void
  /** `over`: over the version of the conflict. */
  save(over?: Definition | null): void
  /** Back to what is stored, or to the other version. */
  take(other: Definition): void
  /** Goes on with the own text, without saving it. */
  stay(): void
  reload(): void
}

interface Opened {
  readonly state: FlowDraft["state"]
  readonly text: string
  readonly saved: Definition | undefined
  /** What a save expects to be stored; null: nothing. */
  readonly from: string | null
  readonly fault?: string | undefined
}

const LOADING: Opened = { state: "loading", text: "", saved: undefined, from: null }

export function useDraft(api: Api, { kind, id }: FileName, firstText?: () => Promise<string>): FlowDraft {
  const [opened, setOpened] = useState<Opened>(LOADING)
  const [isSaving, setSaving] = useState(false)
  const [fault, setFault] = useState<string>()
  const [gate, setGate] = useState<SluiceError>()
  const [conflict, setConflict] = useState<Definition | null>()
  const [turn, setTurn] = useState(0)
  const [savedAt, setSavedAt] = useState<number>()
  const key = keyOf(kind, id)
  const current = useRef(opened)
  current.current = opened
  const first = useRef(firstText)
  first.current = firstText
  // What is stored, as it is when the editor opens: a base that changed under the text would hide a conflict.
  const stored = useAsked(["once", "definition", kind, id], () => storedOf(api, { kind, id }), { isFresh: true })
  useEffect(() => {
    let isOver = false
    const show = (next: Opened): void => {
      if (!isOver) setOpened(next)
    }
    const kept = keptOf(key)
    const missing = async (): Promise<void> => {
      if (kept !== undefined) return show({ state: "open", text: kept.text, saved: undefined, from: null })
      const given = await first.current?.().catch(() => undefined)
      if (given !== undefined) return show({ state: "open", text: given, saved: undefined, from: null })
      show({ ...LOADING, state: "missing", fault: `There is no ${kind} with this name.` })
    }
    const { value: saved } = stored
    if (stored.fault !== undefined) show({ ...LOADING, state: "unread", fault: stored.fault })
    else if (saved === null) void missing()
    else if (saved !== undefined) {
      const own = kept !== undefined && kept.text !== plain(saved.content)
      show({ state: "open", saved, text: own ? kept.text : plain(saved.content), from: own ? kept.from : saved.hash })
    }
    return () => {
      isOver = true
    }
  }, [kind, key, stored.value, stored.fault, stored.at])
  const isChanged = opened.state === "open" && (opened.saved === undefined || opened.text !== plain(opened.saved.content))
  useEffect(() => {
    if (opened.state !== "open") return
    if (isChanged) keep(key, { text: opened.text, from: opened.from })
    else forgetDraft(kind, id)
  }, [key, opened, isChanged])
  useEffect(() => {
    if (!isChanged) return
    const leaving = (event: BeforeUnloadEvent): void => event.preventDefault()
    addEventListener("beforeunload", leaving)
    return () => removeEventListener("beforeunload", leaving)
  }, [isChanged])
  const write = useCallback((text: string): void => setOpened((before) => (before.text === text ? before : { ...before, text })), [])
  const save = useCallback(
    (over?: Definition | null): void => {
      const { state, text, from } = current.current
      if (state !== "open" || isSaving) return
      const expected = over === undefined ? from : (over?.hash ?? null)
      setSaving(true)
      setFault(undefined)
      setGate(undefined)
      setConflict(undefined)
      store(api, { kind, id }, text, expected)
        .then(
          (outcome) => {
            if ("conflict" in outcome) setConflict(outcome.conflict)
            else {
              // What was typed meanwhile is not saved.
              setOpened((now) => ({ ...now, saved: outcome.saved, from: outcome.saved.hash }))
              setTurn((n) => n + 1)
              setSavedAt(Date.now())
              void serverState.invalidateQueries({ queryKey: ["catalog"] })
            }
          },
          (error: unknown) => {
            if (error instanceof SluiceError && error.code === "gate_failed") setGate(error)
            setFault(faultOf(error))
          },
        )
        .finally(() => setSaving(false))
    },
    [api, kind, id, isSaving],
  )
  const take = useCallback((other: Definition): void => {
    setConflict(undefined)
    setFault(undefined)
    setGate(undefined)
    setOpened({ state: "open", text: plain(other.content), saved: other, from: other.hash })
  }, [])
  const stay = useCallback((): void => setConflict(undefined), [])
  return {
    state: opened.state,
    text: opened.text,
    saved: opened.saved,
    isChanged,
    isSaving,
    fault: opened.fault ?? fault,
    gate,
    conflict,
    turn,
    savedAt,
    write,
    save,
    take,
    stay,
    reload: stored.again,
  }
}

type Outcome = { readonly saved: Definition } | { readonly conflict: Definition | null }

/** null: nothing is. */
const storedOf = (api: Api, { kind, id }: FileName): Promise<Definition | null> =>
  api.catalog.definition(kind, id).catch((error: unknown) => {
    if (error instanceof SluiceError && error.status === 404) return null
    throw error
  })

/** Saves over the version that is expected, and over no other. */
async function store(api: Api, { kind, id }: FileName, text: string, from: string | null): Promise<Outcome> {
  // No condition says "nothing is stored": it is looked at.
  const there = from === null ? await storedOf(api, { kind, id }) : undefined
  if (there) return { conflict: there }
  try {
    await api.catalog.put(kind, id, text, from === null ? undefined : `"${from}"`)
  } catch (error) {
    if (error instanceof SluiceError && error.code === "stale") return { conflict: await storedOf(api, { kind, id }) }
    throw error
  }
  const saved = await storedOf(api, { kind, id })
  if (saved === null) throw new Error("It was saved, and then deleted by someone else.")
  return { saved }
}

/** An editor ends each line in one way; that alone is no change. */
const plain = (text: string): string => text.replaceAll(/\r\n?/g, "\n")
