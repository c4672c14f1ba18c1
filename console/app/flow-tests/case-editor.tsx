// A case as YAML, checked as it is written. Where the file has a line for each case, one case is edited; otherwise the whole file is.

import { useEffect, useMemo, useState } from "react"
import type { TestCases } from "../../../src/api/doc/tests.doc.ts"
import type { Diagnostic } from "../../../src/core/diagnostic.ts"
import { SluiceError } from "../../../src/client/transport/sluice-error.ts"
import { CodeEditor } from "../code/code-editor.tsx"
import type { CodeProblem } from "../code/code-props.ts"
import { FaultLine } from "../inbox/fault-line.tsx"
import { useAsked } from "../parts/asked.ts"
import type { Api } from "../shell/session.ts"
import { caseText, expecting, newCase, pieceOf, placeForNew, withCase, type CasePiece } from "../../../web/flow/case-text.ts"
import { refusalOf } from "./refusal.ts"
import type { CaseResult } from "./use-cases.ts"
import { testsPathOf } from "./use-flow-files.ts"
import skeletonCss from "../parts/skeleton.module.css"
import css from "./flow-tests.module.css"

export type Editing =
  | { readonly what: "new" }
  | { readonly what: "file" }
  | { readonly what: "case"; readonly at: number; readonly instead?: CaseResult["failures"][number] }

interface Props {
  readonly api: Api
  readonly flow: string
  readonly file: TestCases | undefined
  readonly editing: Editing
  readonly onDone: () => void
  readonly onClose: () => void
}

/** What is edited: a text, and how the file is made of it. */
interface Part {
  readonly title: string
  readonly own: string
  /** Where it begins in the file, in lines. */
  readonly offset: number
  readonly piece: CasePiece | undefined
  whole(own: string): string
}

const CHECK_MS = 250

export function CaseEditor(props: Props) {
  const { api, flow, file } = props
  const path = file?.path ?? testsPathOf(flow)
  const stored = useAsked(["once", "text of cases", flow, file?.hash], async () => {
    const [text, start] = await Promise.all([
      file?.path === undefined ? "" : api.catalog.read("test", flow),
      api.flows.graph(flow).then(
        (graph) => graph.start,
        () => undefined,
      ),
    ])
    return { text, start }
  })
  if (stored.fault !== undefined) return <FaultLine fault={stored.fault} />
  if (stored.value === undefined) return <div className={skeletonCss.skels} />
  const lines = (file?.cases ?? []).map(({ line }) => line)
  return <Editor {...props} path={path} part={partOf(stored.value.text, lines, props.editing, newCase(stored.value.start))} />
}

function partOf(text: string, lines: readonly number[], editing: Editing, fresh: string): Part {
  const file: Part = { title: "The file", own: text, offset: 0, piece: undefined, whole: (own) => own }
  if (editing.what === "file") return file
  if (editing.what === "new") {
    const base = text.trim() === "" ? "cases:\n" : text
    const place = placeForNew(base, lines)
    if (!place) return { ...file, own: text + fresh }
    return { title: "A new test", own: fresh, offset: place.from, piece: undefined, whole: (own) => withCase(base, place, own) }
  }
  const piece = pieceOf(text, lines, editing.at)
  if (!piece) return file
  const own = caseText(text, piece)
  const { instead } = editing
  const mended = instead && expecting(own, instead.at, instead.expected, instead.found)
  return { title: "The test", own: mended ?? own, offset: piece.from, piece, whole: (next) => withCase(text, piece, next) }
}

function Editor({ api, flow, file, path, part, onDone, onClose }: Props & { readonly path: string; readonly part: Part }) {
  const [text, setText] = useState(part.own)
  const [diagnostics, setDiagnostics] = useState<readonly Diagnostic<string>[]>([])
  const [fault, setFault] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const [isAsked, setAsked] = useState(false)
  const whole = part.whole(text)
  useEffect(() => {
    let isOver = false
    const timer = setTimeout(() => {
      api.catalog.validate("test", whole, path).then(
        (found) => {
          if (!isOver) setDiagnostics(found.diagnostics)
        },
        // It is checked again when it is saved.
        () => undefined,
      )
    }, CHECK_MS)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [api, whole, path])
  const problems = useMemo(() => diagnostics.flatMap((one) => problemOf(one, part, text)), [diagnostics, part.offset, text])
  const elsewhere = diagnostics.length - problems.length
  const isBad = diagnostics.some(({ severity }) => severity === "error")
  const act = (work: () => Promise<unknown>): void => {
    if (isBusy) return
    setBusy(true)
    setFault(undefined)
    work().then(onDone, (error: unknown) => {
      setBusy(false)
      setFault(wordsOf(error))
    })
  }
  const write = (next: string): Promise<unknown> =>
    api.catalog.put("test", flow, next, file?.hash === undefined ? undefined : `"${file.hash}"`)
  const save = (): void => {
    if (!isBad) act(() => write(whole))
  }
  const remove = (): void => {
    const { piece } = part
    if (piece) act(() => (file?.cases.length === 1 ? api.catalog.remove("test", flow) : write(part.whole(""))))
  }
  return (
    <section className={css.caseEd} aria-label={part.title}>
      <h3>{part.title}</h3>
      <div className={css.caseBox}>
        <CodeEditor label={`${part.title}, as YAML`} text={text} language="yaml" problems={problems} onChange={setText} onSave={save} />
      </div>
      {elsewhere > 0 && <p className="msg waiting">{path} has faults in other lines. Edit the file to see them.</p>}
      <FaultLine fault={fault} />
      <div className="bar">
        <button className="btn first" type="button" aria-disabled={isBusy || isBad} onClick={save}>
          {isBusy ? "Saving" : "Save"}
        </button>
        <button className="btn" type="button" onClick={onClose}>
          Back
        </button>
        <span className="grow" />
        {part.piece &&
          (isAsked ? (
            <button className="btn danger" type="button" onClick={remove}>
              Delete this test
            </button>
          ) : (
            <button className="btn bare danger" type="button" onClick={() => setAsked(true)}>
              Delete
            </button>
          ))}
      </div>
    </section>
  )
}

function problemOf(
  { line, column, severity, code, message, suggestion }: Diagnostic<string>,
  { offset, piece, title }: Part,
  text: string,
): CodeProblem[] {
  const indent = title === "The file" ? 0 : (piece?.indent.length ?? 2)
  const own = line - offset
  if (own < 1 || own > text.split("\n").length) return []
  return [
    {
      line: own,
      ...(column === undefined ? {} : { column: Math.max(1, column - indent) }),
      severity,
      code,
      message,
      ...(suggestion === undefined ? {} : { hint: suggestion }),
    },
  ]
}

function wordsOf(error: unknown): string {
  if (error instanceof SluiceError && error.code === "stale")
    return "Someone else changed the tests while you were editing. Close this and open the test again."
  return refusalOf(error)
}
