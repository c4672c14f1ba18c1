// Holds one setting with two faces: a form, and its text beside it. Both show one draft, and what the server refuses stands once, at the field or, where
// there is none, at its line, until the value is another one.

import { useMemo, useState } from "react"
import { SluiceError } from "../../../../src/client/transport/sluice-error.ts"
import { editable } from "../../../../web/chat/wording.ts"
import { consoleWords } from "../../../../web/faults/console-words.ts"
import { at, isSame, pathOf, pointerOf, standing, withAt, type JsonFault, type Path } from "../../../../web/setup/json-face.ts"
import type { CodeProblem } from "../../code/code-props.ts"
import { lineDiff } from "../../parts/line-diff.ts"
import { placesOf, readJson } from "../parts/json-places.ts"
import { useSaving, type Saving } from "../parts/saving.tsx"

export interface Face {
  readonly draft: unknown
  readonly saved: unknown
  readonly at: (path: Path) => unknown
  readonly set: (path: Path, value: unknown) => void
  readonly isChanged: (path: Path) => boolean
  /** What is wrong with the value there, and with what is in it. */
  readonly faultAt: (path: Path) => string | undefined
  readonly text: string
  readonly setText: (text: string) => void
  readonly isDirty: boolean
  readonly discard: () => void
  /** The text cannot be read, so the form shows what it said last. */
  readonly isBroken: boolean
  /** The server refused it, and what it refused is still there. */
  readonly isRefused: boolean
  readonly problems: readonly CodeProblem[]
  readonly tinted: readonly number[]
  readonly saving: Saving
  readonly save: () => void
}

/** `formHas`: whether the form has a field for the place. */
export function useFace(
  saved: unknown,
  put: (value: unknown) => Promise<unknown>,
  formHas: (pointer: string) => boolean,
  onSaved: () => void,
): Face {
  const [{ draft, text }, setState] = useState(() => ({ draft: saved, text: editable(saved) }))
  const [refused, setRefused] = useState<readonly JsonFault[]>([])
  const [syntax, setSyntax] = useState<CodeProblem>()
  const saving = useSaving()
  const before = useMemo(() => editable(saved), [saved])
  const faults = standing(refused, draft)
  const set = (path: Path, value: unknown): void => {
    const next = withAt(draft, path, value) ?? {}
    setState({ draft: next, text: editable(next) })
    setSyntax(undefined)
  }
  const setText = (given: string): void => {
    const read = readJson(given)
    setSyntax("problem" in read ? read.problem : undefined)
    setState("problem" in read ? { draft, text: given } : { draft: read.value, text: given })
  }
  const save = (): void => {
    if (syntax !== undefined) return
    saving.save(async () => {
      try {
        await put(draft)
      } catch (error) {
        if (error instanceof SluiceError) setRefused(error.errors.map((one) => ({ ...one, was: at(draft, pathOf(draft, one.pointer)) })))
        throw error
      }
      setRefused([])
      onSaved()
    })
  }
  const problems = useMemo(() => {
    if (syntax) return [syntax]
    const places = placesOf(text)
    return faults
      .filter(({ pointer }) => !formHas(pointer))
      .map(({ pointer, message, suggestion }) => {
        let near = pointer
        while (near !== "" && !places.has(near)) near = near.slice(0, near.lastIndexOf("/"))
        const words = consoleWords(message).words
        return {
          ...(places.get(near) ?? { line: 1 }),
          severity: "error" as const,
          message: near === pointer ? words : `${pointer.slice(near.length + 1)}: ${words}`,
          ...(suggestion === undefined ? {} : { hint: suggestion }),
        }
      })
    // eslint-disable-next-line -- `faults` is made anew at each drawing; its words say whether it is another one.
  }, [syntax, text, JSON.stringify(faults), formHas])
  const tinted = useMemo(() => {
    const lines: number[] = []
    let line = 0
    for (const { kind } of lineDiff(before, text)) {
      if (kind !== "del") line += 1
      if (kind === "add") lines.push(line)
    }
    return lines
  }, [before, text])
  return {
    draft,
    saved,
    at: (path) => at(draft, path),
    set,
    isChanged: (path) => !isSame(at(draft, path), at(saved, path)),
    faultAt: (path) => {
      const pointer = pointerOf(path)
      const found = faults.find((one) => one.pointer === pointer || one.pointer.startsWith(`${pointer}/`))
      return found && consoleWords(found.message).words
    },
    text,
    setText,
    isDirty: text !== before,
    discard: () => {
      setState({ draft: saved, text: before })
      setRefused([])
      setSyntax(undefined)
    },
    isBroken: syntax !== undefined,
    isRefused: faults.length > 0,
    problems,
    tinted,
    saving,
    save,
  }
}
