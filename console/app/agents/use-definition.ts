// One file of the catalog under edit: the text as it is stored, the text as it is now, and what the server says of it. An answer about a text
// that has changed since is dropped.

import { useEffect, useRef, useState } from "react"
import { SluiceError } from "../../../src/client/sluice-error.ts"
import type { CodeProblem } from "../code/code-props.ts"
import { faultOf } from "../parts/fault.ts"
import type { Api } from "../shell/session.ts"

export interface Stored {
  readonly path: string
  readonly tier: "local" | "package" | "built-in"
  readonly package?: string
  readonly hash: string
  readonly content: string
}

/** Why a save did not happen, and what can be done. */
export interface SaveFault {
  readonly code: string
  readonly message: string
  /** 412: what is stored now. */
  readonly theirs?: Stored
}

export interface Editing {
  /** undefined: it is being read. null: there is none. */
  readonly stored: Stored | undefined | null
  readonly fault: string | undefined
  readonly text: string
  readonly isDraft: boolean
  readonly isSaving: boolean
  readonly problems: readonly CodeProblem[]
  /** Whether `problems` are of this very text. */
  readonly isChecked: boolean
  readonly saveFault: SaveFault | undefined
  edit(text: string): void
  discard(): void
  save(over?: Stored): void
  again(): void
}

/** `base`: what it began from. A save replaces that and nothing newer. */
interface Draft {
  readonly text: string
  readonly base: Stored
}

/** They outlive their page, so that a look at a run costs no work; a reload of the window asks first. */
const drafts = new Map<string, Draft>()

const QUIET_MS = 250
const NONE: readonly CodeProblem[] = []

export function useDefinition(api: Api, kind: "agent" | "skill", id: string): Editing {
  const [stored, setStored] = useState<Stored | null>()
  const [fault, setFault] = useState<string>()
  const address =
    kind === "agent" ? `/v1/agents/${encodeURIComponent(id)}` : `/v1/skills/${id.split("/").map(encodeURIComponent).join("/")}`
  const [draft, setKept] = useState(() => drafts.get(address))
  const setDraft = (next: Draft | undefined): void => {
    if (next === undefined) drafts.delete(address)
    else drafts.set(address, next)
    setKept(next)
  }
  const [saving, setSaving] = useState(false)
  const [saveFault, setSaveFault] = useState<SaveFault>()
  const [checked, setChecked] = useState<{ readonly text: string; readonly problems: readonly CodeProblem[] }>()
  const [tries, setTries] = useState(0)
  const read = (): Promise<Stored> => api.transport.json<Stored>("GET", address, { headers: { accept: "application/json" } })
  const busy = useRef(false)

  useEffect(() => {
    let isOver = false
    setFault(undefined)
    read().then(
      (found) => {
        if (!isOver) setStored(found)
      },
      (error: unknown) => {
        if (isOver) return
        if (error instanceof SluiceError && error.status === 404) setStored(null)
        else setFault(faultOf(error))
      },
    )
    return () => {
      isOver = true
    }
  }, [address, tries])

  const text = draft?.text ?? stored?.content ?? ""
  const path = stored?.path
  useEffect(() => {
    if (path === undefined) return undefined
    let isOver = false
    const timer = setTimeout(() => {
      api.catalog.validate(kind, text, localPath(kind, id)).then(
        ({ diagnostics }) => {
          if (!isOver)
            setChecked({
              text,
              problems: diagnostics.map(({ line, column, severity, message, code, suggestion }) => ({
                line,
                ...(column === undefined ? {} : { column }),
                severity: severity === "error" ? "error" : "warning",
                message,
                code,
                ...(suggestion === undefined ? {} : { hint: suggestion }),
              })),
            })
        },
        () => undefined,
      )
    }, QUIET_MS)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [text, path])

  const save = (over = draft?.base ?? stored): void => {
    if (busy.current || !over) return
    busy.current = true
    setSaving(true)
    setSaveFault(undefined)
    const sent = text
    api.catalog
      .put(kind, id, sent, `"${over.hash}"`)
      .then(read)
      .then(
        (now) => {
          setStored(now)
          // What was typed while it was on its way stays a draft.
          const typed = drafts.get(address)
          setDraft(typed === undefined || typed.text === sent ? undefined : { text: typed.text, base: now })
        },
        async (error: unknown) => {
          const code = error instanceof SluiceError ? error.code : ""
          const theirs = code === "stale" ? await read().catch(() => undefined) : undefined
          setSaveFault({ code, message: faultOf(error), ...(theirs ? { theirs } : {}) })
        },
      )
      .finally(() => {
        busy.current = false
        setSaving(false)
      })
  }
  const isDraft = draft !== undefined && draft.text !== stored?.content
  useEffect(() => {
    if (!isDraft) return undefined
    const leaving = (event: BeforeUnloadEvent): void => event.preventDefault()
    addEventListener("beforeunload", leaving)
    return () => removeEventListener("beforeunload", leaving)
  }, [isDraft])
  return {
    stored,
    fault,
    text,
    isDraft,
    isSaving: saving,
    problems: checked?.problems ?? NONE,
    isChecked: checked?.text === text,
    saveFault,
    edit: (next) => {
      if (stored) setDraft(next === stored.content ? undefined : { text: next, base: drafts.get(address)?.base ?? stored })
    },
    discard: () => {
      setDraft(undefined)
      setSaveFault(undefined)
      setTries(tries + 1)
    },
    save,
    again: () => setTries(tries + 1),
  }
}

const localPath = (kind: "agent" | "skill", id: string): string => (kind === "agent" ? `agents/${id}.md` : `skills/${id}`)
