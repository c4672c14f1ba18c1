// What a thread's newest run is, and what it has used and written.

import { useEffect, useState } from "react"
import type { FileRow } from "../../../src/api/doc/run/runs.doc.ts"
import type { RunView } from "../../../src/core/run/views/view.ts"
import { money } from "../../../web/chat/wording.ts"
import { Icon } from "../shell/icons.tsx"
import type { Api } from "../shell/session.ts"
import { classes } from "../parts/classes.ts"
import css from "./chat-page.module.css"

interface Props {
  readonly flow: string
  readonly view: RunView | undefined
  readonly files: readonly FileRow[]
}

/** Reads the run again whenever a turn has begun or ended. */
export function useRun(
  api: Api,
  run: string | undefined,
  turn: number,
): { readonly view: RunView | undefined; readonly files: readonly FileRow[] } {
  const [found, setFound] = useState<{ readonly view: RunView; readonly files: readonly FileRow[] }>()
  useEffect(() => {
    let isOver = false
    if (run === undefined) setFound(undefined)
    else
      Promise.all([api.runs.get(run), api.runs.files(run).page()])
        .then(([view, files]) => {
          if (!isOver) setFound({ view, files: files.data })
        })
        // It is shown beside the conversation, which says what is wrong.
        .catch(() => undefined)
    return () => {
      isOver = true
    }
  }, [api, run, turn])
  return { view: found?.view, files: found?.files ?? [] }
}

export function AboutThread({ flow, view, files }: Props) {
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
              <dt>Tokens</dt>
              <dd>{view.usage.tokens.toLocaleString()}</dd>
              <dt>Cost</dt>
              <dd>{costOf(view)}</dd>
              {view.tainted === true && (
                <>
                  <dt>Read</dt>
                  <dd>text from outside</dd>
                </>
              )}
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
export function costOf({ usage, budget }: RunView): string {
  const spent = usage.usd === null ? "–" : money(usage.usd)
  const limit = budget?.limit.usd
  return limit === undefined ? spent : `${spent} of ${money(limit)}`
}

/** An id to take elsewhere. */
function RunId({ id }: { readonly id: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = (): void => {
    void navigator.clipboard.writeText(id).then(() => setCopied(true))
  }
  return (
    <>
      <span className="id">{id}</span>{" "}
      <button className="btn bare tiny" type="button" onClick={copy} onBlur={() => setCopied(false)}>
        {isCopied ? "Copied" : "Copy"}
      </button>
    </>
  )
}
