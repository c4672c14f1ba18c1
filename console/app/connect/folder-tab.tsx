// A folder or a zip: what comes, what it becomes, what is left out and why. Leaving a file out asks for a new preview, since others may name it.

import { useEffect, useRef, useState } from "react"
import type { ImportReport } from "../../../src/api/doc/catalog.doc.ts"
import { Connect } from "../../../src/client/connect.ts"
import { FaultLine } from "../inbox/fault-line.tsx"
import { everyFault } from "../parts/fault.ts"
import { bytes, counted } from "../parts/figures.ts"
import { Skeleton } from "../parts/skeleton.tsx"
import type { Api } from "../shell/session.ts"
import { DropZone } from "./drop-zone.tsx"
import { FolderTable } from "./folder-table.tsx"
import { Imported } from "./imported.tsx"
import { heldFiles, letGo, type GivenFolder } from "./given-files.ts"
import { comingRows, kindsOf, stayingRows, type ComingRow } from "./import-rows.ts"
import { readable, type Readable } from "./readable.ts"
import { Side } from "./side.tsx"
import { visible } from "../../../web/chat/wording.ts"
import { classes } from "../parts/classes.ts"
import css from "./connect.module.css"

interface Preview {
  readonly given: GivenFolder
  readonly read: Readable
  /** Of all that was given. */
  readonly whole: ImportReport
}

export function FolderTab({ api }: { readonly api: Api }) {
  const [given, setGiven] = useState(heldFiles)
  const [preview, setPreview] = useState<Preview>()
  const [fault, setFault] = useState<string>()
  useEffect(letGo, [given])
  useEffect(() => {
    if (!given) return
    let isOver = false
    const look = async (): Promise<void> => {
      const read = await readable(given)
      const whole = await new Connect(api.transport).files(read.source)
      if (!isOver) setPreview({ given, read, whole })
    }
    setFault(undefined)
    look().catch((error: unknown) => {
      if (!isOver) setFault(everyFault(error))
    })
    return () => {
      isOver = true
    }
  }, [api, given])
  const other = (): void => {
    setGiven(undefined)
    setPreview(undefined)
    setFault(undefined)
  }
  if (given === undefined) return <DropZone isTall onFiles={() => setGiven(heldFiles())} />
  if (fault !== undefined)
    return (
      <section className={classes("panel", css.cnForm)}>
        <h2>{visible(given.name)}</h2>
        <FaultLine fault={fault} />
        <div className="bar">
          <button className="btn" type="button" onClick={other}>
            Other folder
          </button>
        </div>
      </section>
    )
  if (preview?.given !== given) return <Skeleton words="Reading what would be imported." />
  return <Looked api={api} preview={preview} onOther={other} />
}

function Looked({
  api,
  preview: { given, read, whole },
  onOther,
}: {
  readonly api: Api
  readonly preview: Preview
  readonly onOther: () => void
}) {
  const rows = comingRows(whole)
  const [out, setOut] = useState<ReadonlySet<string>>(new Set())
  const [part, setPart] = useState<{ readonly out: ReadonlySet<string>; readonly report: ImportReport }>()
  const [fault, setFault] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const [written, setWritten] = useState<ImportReport>()
  const latest = useRef(out)
  latest.current = out
  const sourceOf = (left: ReadonlySet<string>) => (left.size === 0 ? read.source : { ...read.source, only: chosenPaths(rows, left) })
  const choose = (keys: readonly string[], isChosen: boolean): void => {
    const next = new Set(out)
    for (const key of keys) {
      if (isChosen) next.delete(key)
      else next.add(key)
    }
    setOut(next)
    setFault(undefined)
    if (next.size === 0 || next.size === rows.length) return
    new Connect(api.transport).files(sourceOf(next)).then(
      (report) => {
        if (latest.current === next) setPart({ out: next, report })
      },
      (error: unknown) => setFault(everyFault(error)),
    )
  }
  const isChecked = out.size === 0 || out.size === rows.length || part?.out === out
  const report = part?.out === out ? part.report : whole
  const chosen = comingRows(report).filter(({ key }) => !out.has(key))
  // A file that came with the others, and does not come without those that are left out.
  const lost = part?.out === out ? stayingRows(part.report) : []
  const staying = [...stayingRows(whole), ...read.leftOut]
  const count = chosen.reduce((sum, { paths }) => sum + paths.length, 0)
  const warnings = chosen.flatMap((row) => row.warnings)
  const tokens = chosen.reduce((sum, row) => sum + row.tokens, 0)
  const replaced = chosen.filter(({ isReplaced }) => isReplaced)
  const write = (): void => {
    setBusy(true)
    setFault(undefined)
    new Connect(api.transport)
      .files(sourceOf(out), { write: true })
      .then(setWritten, (error: unknown) => setFault(everyFault(error)))
      .finally(() => setBusy(false))
  }
  if (written) return <Imported api={api} report={written} servers={read.servers} onOther={onOther} />
  return (
    <div className={css.cn}>
      <section className="panel" aria-label="To import">
        <div className="panel-head">
          <h2 className="cut">{visible(given.name)}</h2>
          <span className="dim nowrap">
            {read.count > 0 ? `${counted(read.count, "file")}, ` : ""}
            {bytes(read.bytes)}
          </span>
          <span className="grow" />
          <button className="btn bare" type="button" onClick={onOther}>
            Other folder
          </button>
        </div>
        <FolderTable rows={rows} out={out} staying={staying} lost={lost} servers={read.servers} onChoose={choose} />
      </section>
      <Side
        figures={[
          ["New", kindsOf(chosen.filter(({ isReplaced }) => !isReplaced))],
          ["Changed", kindsOf(replaced)],
          ["Checked", isChecked ? `${counted(warnings.length, "warning")}, ${counted(lost.length, "file")} refused` : "checking"],
          ["Weight", `${tokens.toLocaleString()} tokens, where their agents run`],
        ]}
        verb={count === 0 ? "Nothing to import" : `Import ${counted(count, "file")}`}
        isOff={count === 0 || !isChecked}
        isBusy={isBusy}
        fault={fault}
        onAct={write}
      >
        {warnings.slice(0, MAX_WARNINGS).map((warning) => (
          <p className="msg waiting words" key={warning}>
            <span>{visible(warning)}</span>
          </p>
        ))}
        {warnings.length > MAX_WARNINGS && <p className="dim small">and {counted(warnings.length - MAX_WARNINGS, "more warning")}</p>}
      </Side>
    </div>
  )
}

const MAX_WARNINGS = 4

const chosenPaths = (rows: readonly ComingRow[], out: ReadonlySet<string>): string[] =>
  rows.filter(({ key }) => !out.has(key)).flatMap(({ paths }) => paths)
