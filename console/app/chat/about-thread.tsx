// What a thread's newest run is, and what it has used and written.

import { useState } from "react"
import { copyText } from "../parts/copy.ts"
import type { FileRow } from "../../../src/api/doc/run/runs.doc.ts"
import type { RunView } from "../../../src/core/run/views/view.ts"
import { money } from "../../../web/chat/wording.ts"
import { useAsked } from "../parts/asked.ts"
import { counted, tokens } from "../parts/figures.ts"
import { Icon } from "../shell/icons.tsx"
import { Link } from "../shell/link.tsx"
import { addressOf } from "../shell/place.ts"
import type { Api } from "../shell/session.ts"
import { classes } from "../parts/classes.ts"
import type { ThreadRow } from "./threads.ts"
import css from "./chat-page.module.css"

interface Props {
  readonly flow: string
  /** undefined: nothing is said yet. */
  readonly row: ThreadRow | undefined
  readonly view: RunView | undefined
  readonly files: readonly FileRow[]
}

/** Reads the run again whenever a turn has begun or ended. It is shown beside the conversation, which says what is wrong. */
export function useRun(
  api: Api,
  run: string | undefined,
  turn: number,
): { readonly view: RunView | undefined; readonly files: readonly FileRow[] } {
  const { value } = useAsked(["once", "thread-run", run, turn], async () => {
    if (run === undefined) return undefined
    const [view, files] = await Promise.all([api.runs.get(run), api.runs.files(run).page()])
    return { view, files: files.data }
  })
  const isIt = value?.view.id === run
  return { view: isIt ? value?.view : undefined, files: isIt ? (value?.files ?? []) : [] }
}

export function AboutThread({ flow, row, view, files }: Props) {
  const step =
    view === undefined ? undefined : Object.entries(view.steps).find(([, { status }]) => status === "running" || status === "blocked")
  return (
    <aside className={classes("panel", css.abt)} aria-label="About this thread">
      <div className="panel-head">
        <h2>This thread</h2>
      </div>
      <div className={css.about}>
        <dl className="kv">
          <dt>Flow</dt>
          <dd>{flow}</dd>
          {view && (
            <>
              <dt>Run</dt>
              <dd>
                <RunId id={view.id} />
              </dd>
              <dt>Status</dt>
              <dd>{view.status}</dd>
              {step && (
                <>
                  <dt>Step</dt>
                  <dd>{step[0]}</dd>
                </>
              )}
              <dt>This turn</dt>
              <dd>
                {costOf(view)}, {tokens(view.usage.tokens)} tokens
              </dd>
              {view.tainted === true && (
                <>
                  <dt>Read</dt>
                  <dd>text from outside</dd>
                </>
              )}
            </>
          )}
          {row && (
            <>
              <dt>Thread</dt>
              <dd>
                {row.usd === null ? "–" : money(row.usd)}, {tokens(row.tokens)} tokens, {counted(row.turns, "turn")}
              </dd>
            </>
          )}
        </dl>
        {files.length > 0 && (
          <section className={css.blk}>
            <h3>Files</h3>
            <ul className={css.fl}>
              {files.map(({ path, size }) => (
                <li key={path}>
                  <Icon name="file" kind="i-s dim" />
                  <span className="mono">{path}</span>
                  <span className="num dim">{(size / 1_000).toFixed(1)} KB</span>
                </li>
              ))}
            </ul>
          </section>
        )}
      </div>
    </aside>
  )
}

/** Unknown cost is a dash, never 0. */
function costOf({ usage, budget }: RunView): string {
  const spent = usage.usd === null ? "–" : money(usage.usd)
  const limit = budget?.limit.usd
  return limit === undefined ? spent : `${spent} of ${money(limit)}`
}

/** An id to take elsewhere. */
function RunId({ id }: { readonly id: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = (): void => {
    void copyText(id).then(() => setCopied(true))
  }
  return (
    <>
      <Link className={classes("link id", css.runId)} href={addressOf("runs", id)}>
        {id}
      </Link>{" "}
      <button className="btn bare tiny" type="button" onClick={copy} onBlur={() => setCopied(false)}>
        {isCopied ? "Copied" : "Copy"}
      </button>
    </>
  )
}
