// What a step has handed on, and what the run has answered.

import { visible } from "../../../../web/chat/wording.ts"
import { Code } from "../../parts/code.tsx"
import { Markdown } from "../../parts/markdown.tsx"
import { saveAs } from "../../parts/save.ts"
import { Status } from "../../parts/status.tsx"
import { CachedFrom } from "./cached-from.tsx"
import { Link } from "../../shell/link.tsx"
import { addressOf } from "../../shell/place.ts"
import type { Api } from "../../shell/session.ts"
import type { Pass } from "../../../../src/core/run/views/outline.ts"
import type { ShownRun } from "../use-run.ts"
import { classes } from "../../parts/classes.ts"
import css from "./detail.module.css"

export function Result({ pass }: { readonly pass: Pass | undefined }) {
  if (pass?.ended === undefined)
    return <p className="dim">{pass === undefined ? "This step has not begun." : "This step has no result yet."}</p>
  return (
    <>
      <p className="bar">
        <Status status={pass.status} />
        {pass.branch !== undefined && <span className="tag">{pass.branch}</span>}
        {pass.cached !== undefined && <CachedFrom run={pass.cached} />}
        {pass.source !== undefined && <span className="tag error">{pass.source}</span>}
      </p>
      {pass.summary !== undefined && pass.summary !== "" && (
        <p className={css.say} dir="auto">
          {visible(pass.summary)}
        </p>
      )}
      {pass.outputs !== undefined && Object.keys(pass.outputs).length > 0 && (
        <section className={css.blk}>
          <h3>Outputs</h3>
          <Code value={pass.outputs} label="Outputs" />
        </section>
      )}
      {pass.artifacts !== undefined && (
        <section className={css.blk}>
          <h3>For other steps</h3>
          <Code value={pass.artifacts} label="For other steps" />
        </section>
      )}
    </>
  )
}

export function RunResult({ api, shown: { view, story } }: { readonly api: Api; readonly shown: ShownRun }) {
  const { output, error } = story
  const text = answerOf(output)
  return (
    <>
      {error && (
        <p className="note error">
          <span>
            {error.step !== undefined && <b>{error.step}: </b>}
            {visible(error.message)} <span className="dim">({error.source})</span>
          </span>
        </p>
      )}
      {text !== undefined && <Markdown text={text} />}
      {output !== undefined && typeof output !== "string" && <Json output={output} isTold={text !== undefined} />}
      {output === undefined && !error && <p className="dim">The run has no output yet.</p>}
      {view.children.length > 0 && (
        <section className={css.blk}>
          <h3>Child runs</h3>
          <ul className={css.fl}>
            {view.children.map((id) => (
              <li key={id}>
                <Link className="link mono" href={addressOf("runs", id)}>
                  {id}
                </Link>
              </li>
            ))}
          </ul>
        </section>
      )}
      {story.ended !== undefined && (
        <button
          className={classes("btn", css.receipt)}
          type="button"
          onClick={() => void api.runs.receipt(view.id).then((receipt) => saveAs(`${view.id}.receipt.jsonl`, new Blob([receipt])))}
        >
          Download the receipt
        </button>
      )}
    </>
  )
}

/** What the words above say is not said twice, unless it is asked for. */
function Json({ output, isTold }: { readonly output: object | number | boolean | null; readonly isTold: boolean }) {
  if (!isTold) return <Code value={output} label="Output" />
  return (
    <details>
      <summary>As JSON</summary>
      <Code value={output} label="Output" />
    </details>
  )
}

/** The words of an answer: the output itself, or its summary. */
function answerOf(output: unknown): string | undefined {
  if (typeof output === "string") return output
  if (typeof output !== "object" || output === null || !("summary" in output)) return undefined
  return typeof output.summary === "string" ? output.summary : undefined
}
