// What the architect would write, file by file, as a difference from the catalog; and what is done with it.

import { useState } from "react"
import type { ArchitectSession } from "../../../src/api/doc/architect.doc.ts"
import type { Architect } from "../../../src/client/architect.ts"
import { SluiceError } from "../../../src/client/transport/sluice-error.ts"
import { visible } from "../../../web/chat/wording.ts"
import { CodeDiff } from "../code/code-editor.tsx"
import { isDefinition } from "../flows/is-definition.ts"
import { brokenIn } from "../flow-tests/gate.tsx"
import { FaultLine } from "../inbox/fault-line.tsx"
import { faultOf } from "../parts/fault.ts"
import { useAsked } from "../parts/asked.ts"
import { plusMinus } from "../../../web/flow/revision-words.ts"
import type { Api } from "../shell/session.ts"
import { useKeys } from "../shell/keys.ts"
import { Proof } from "./proofs.tsx"
import { classes } from "../parts/classes.ts"
import css from "../flow-tests/flow-tests.module.css"

interface Props {
  readonly api: Api
  readonly architect: Architect
  readonly session: ArchitectSession
  /** The path of the flow that the editor has. */
  readonly path: string
  readonly onText: (text: string) => void
  readonly onAccepted: (revision: number) => void
  readonly onDiscarded: () => void
}

export function Proposal({ api, architect, session, path, onText, onAccepted, onDiscarded }: Props) {
  const { files, diff } = session
  const base = useAsked(["once", "base", session.id, session.iteration], () => basesOf(api), { isFresh: true })
  const [fault, setFault] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const [isAsked, setAsked] = useState(false)
  const isOff = isBusy || !session.valid
  const act = (work: () => Promise<void>): void => {
    if (isBusy) return
    setBusy(true)
    setFault(undefined)
    work()
      .catch((error: unknown) => setFault(wordsOf(error)))
      .finally(() => setBusy(false))
  }
  const accept = (): void => {
    if (!isOff) act(async () => onAccepted((await architect.accept(session.id)).revision))
  }
  useKeys("architect", { accept })
  const { plus, minus } = plusMinus(Object.values(diff))
  const own = files.find((file) => file.path === path)?.text
  const moved = files.filter((file) => file.moved)
  return (
    <>
      <section className={css.blk} aria-label="Proposed">
        <div className="bar">
          <h3>Proposed{base.value === undefined ? "" : `, on r${base.value.revision}`}</h3>
          <span className="grow" />
          <span className={classes(css.pm, "small")}>
            <span className="succeeded">+{plus}</span> <span className="failed">−{minus}</span>
          </span>
        </div>
        {files.map((file) => (
          <FileChange key={`${file.path} ${file.hash}`} api={api} file={file} known={base.value?.known} />
        ))}
        {moved.length > 0 && (
          <p className="msg waiting">
            {moved.map((file) => visible(file.path)).join(", ")} changed in the catalog since it was read. Say so below, and it is written
            anew.
          </p>
        )}
      </section>
      <Proof api={api} session={session} />
      <FaultLine fault={fault ?? base.fault} />
      <div className="bar">
        <button className="btn first" type="button" aria-disabled={isOff} onClick={accept}>
          {isBusy ? "Checking" : `Accept${base.value === undefined ? "" : ` as r${base.value.revision + 1}`}`} <kbd>Ctrl Enter</kbd>
        </button>
        {own !== undefined && (
          <button className="btn" type="button" onClick={() => onText(own)}>
            Put into the draft
          </button>
        )}
        {isAsked ? (
          <button
            className="btn danger"
            type="button"
            onClick={() =>
              act(async () => {
                await architect.discard(session.id)
                onDiscarded()
              })
            }
          >
            Discard this proposal
          </button>
        ) : (
          <button className="btn bare" type="button" onClick={() => setAsked(true)}>
            Discard
          </button>
        )}
      </div>
    </>
  )
}

type Known = Awaited<ReturnType<typeof basesOf>>["known"]

async function basesOf(api: Api) {
  const { revision, data } = await api.catalog.list()
  return { revision, known: new Map(data.map((file) => [file.path, file])) }
}

interface FileProps {
  readonly api: Api
  readonly file: ArchitectSession["files"][number]
  readonly known: Known | undefined
}

function FileChange({ api, file: { path, change, text = "" }, known }: FileProps) {
  const row = known?.get(path)
  const before = useAsked(["once", "text before", path, row?.hash, known === undefined], async () => {
    if (!row || !isDefinition(row)) return ""
    return api.catalog.read(row.kind, row.id)
  })
  return (
    <div className={css.blk}>
      <p className="small">
        <span className="mono">{visible(path)}</span> <span className="dim">{change === "added" ? "is new" : "changes"}</span>
      </p>
      <FaultLine fault={before.fault} />
      {known !== undefined && before.value !== undefined && (
        <div className={css.diffs}>
          <CodeDiff
            label={`What changes in ${path}`}
            before={before.value}
            after={text}
            language={path.endsWith(".md") ? "markdown" : "yaml"}
          />
        </div>
      )}
    </div>
  )
}

function wordsOf(error: unknown): string {
  if (error instanceof SluiceError && error.code === "gate_failed") {
    const { report } = error.problem
    const broken = typeof report === "object" && report !== null ? brokenIn({ ...report }) : []
    return `The gate holds it back: ${broken.join("; ")}. Nothing is written. Describe below what must stay as it is.`
  }
  return faultOf(error)
}
