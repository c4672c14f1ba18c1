// What became of the workspace between two moments: files that were added, changed or removed, with their changed lines.

import { useEffect, useState } from "react"
import type { FilesDiff } from "../../../../src/api/doc/run/files-diff.doc.ts"
import { visible } from "../../../../web/chat/wording.ts"
import { faultOf } from "../../parts/fault.ts"
import { bytes } from "../../parts/figures.ts"
import type { Api } from "../../shell/session.ts"
import type { ShownRun } from "../use-run.ts"
import { classes } from "../../parts/classes.ts"
import detailCss from "./detail.module.css"
import promptCss from "./prompt.module.css"
import css from "../../parts/diff-view.module.css"

type Row = FilesDiff["data"][number]

const MAX_ROWS = 50

export function FileDiff({ api, shown: { view, at, last } }: { readonly api: Api; readonly shown: ShownRun }) {
  const end = at ?? last
  const [from, setFrom] = useState(1)
  const [asked, setAsked] = useState(1)
  const [found, setFound] = useState<{ readonly about: string; readonly rows: readonly Row[]; readonly next: string | null }>()
  const [fault, setFault] = useState<string>()
  const about = `${view.id} ${asked} ${end}`
  const read = (cursor?: string): (() => void) => {
    let isOver = false
    api.runs.diff(view.id, { from: asked, to: end, limit: MAX_ROWS, ...(cursor === undefined ? {} : { cursor }) }).then(
      ({ data, next_cursor }) => {
        if (isOver) return
        setFault(undefined)
        setFound((before) => ({ about, rows: cursor === undefined ? data : [...(before?.rows ?? []), ...data], next: next_cursor }))
      },
      (error: unknown) => {
        if (!isOver) setFault(faultOf(error))
      },
    )
    return () => {
      isOver = true
    }
  }
  useEffect(() => read(), [api, about])
  const choose = (): void => setAsked(Math.max(1, Math.min(end, from)))
  return (
    <section className={detailCss.blk} aria-label="Changed files">
      <form
        className={classes("bar", promptCss.moments)}
        onSubmit={(event) => {
          event.preventDefault()
          choose()
        }}
      >
        <label className="bar">
          From event
          <input
            className="input num"
            type="number"
            inputMode="numeric"
            min={1}
            max={end}
            value={from}
            onChange={({ target }) => setFrom(Math.max(1, Math.floor(target.valueAsNumber || 1)))}
            onBlur={choose}
          />
        </label>
        <span className="dim">
          to event {end.toLocaleString()}
          {at === undefined ? ", the newest" : ", the moment that is shown"}
        </span>
      </form>
      {fault !== undefined && (
        <p className="msg error" role="alert">
          {fault}
        </p>
      )}
      {found === undefined && fault === undefined && <p className="dim late">Comparing files.</p>}
      {found?.rows.length === 0 && <p className="dim">No file differs between these events.</p>}
      {found?.rows.map((row) => (
        <Changed key={row.path} row={row} />
      ))}
      {found !== undefined && found.next !== null && (
        <button className="btn" type="button" onClick={() => void read(found.next ?? undefined)}>
          More files
        </button>
      )}
    </section>
  )
}

const SIGNS = { added: "+", changed: "≠", removed: "−" } as const

function Changed({ row: { path, state, before, after, diff, binary, cut } }: { readonly row: Row }) {
  const sizes = [before, after].map((size) => (size === null ? "none" : bytes(size))).join(" → ")
  return (
    <details className={promptCss.filed} open={diff !== null && diff.length < MAX_OPEN}>
      <summary>
        <b className={state === "added" ? "complete" : state === "removed" ? "error" : "mid"}>{SIGNS[state]}</b>
        <span className="vh">{state}</span>
        <span className="mono cut">{visible(path)}</span>
        <span className="num dim">{sizes}</span>
      </summary>
      {diff === null ? (
        <p className="dim">{binary === true ? "This is not text." : "Too large to compare line by line."}</p>
      ) : (
        <pre className={classes("code", css.diff)} tabIndex={0} role="region" aria-label={`Changed lines of ${visible(path)}`}>
          {diff
            .replace(/\n$/, "")
            .split("\n")
            .map((line, i) => (
              <span
                key={i}
                className={line.startsWith("+") ? css.add : line.startsWith("-") ? css.del : line.startsWith("@") ? "dim" : undefined}
              >
                {visible(line)}
                {"\n"}
              </span>
            ))}
        </pre>
      )}
      {cut && <p className="dim">Lines are left out: the file or its difference is too large.</p>}
    </details>
  )
}

/** Longer differences are folded. */
const MAX_OPEN = 4_000
