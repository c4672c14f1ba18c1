// A pass of a code step: what its handler was given, what it logged, and how it ended, with the way to its file.

import { visible } from "../../../../web/chat/wording.ts"
import { handlerFile, handlerQuery, lineIn } from "../../../../web/run/way-out.ts"
import type { Pass } from "../../../../src/core/run/views/outline.ts"
import { Code } from "../../parts/code.tsx"
import { duration } from "../../parts/figures.ts"
import { Icon } from "../../shell/icons.tsx"
import { Link } from "../../shell/link.tsx"
import { addressOf } from "../../shell/place.ts"
import css from "./detail.module.css"

export function CodeView({ flow, pass, end }: { readonly flow: string; readonly pass: Pass; readonly end: number }) {
  const { step, inputs, logs, status, summary, begun, ended } = pass
  const isFailed = status === "error" || status === "blocked"
  const line = isFailed && summary !== undefined ? lineIn(summary) : undefined
  return (
    <>
      <p className="bar">
        <Icon name="file" kind="i-s dim" />
        <Link className="link mono" href={`${addressOf("flows", flow)}?${handlerQuery(flow, step, line)}`}>
          {handlerFile(flow, step)}
          {line !== undefined && `:${line}`}
        </Link>
        <span className="dim">{duration((ended ?? end) - begun)}</span>
      </p>
      {isFailed && summary !== undefined && (
        <p className="msg error" dir="auto">
          <Icon name="failed" kind="i-s" />
          <span>{visible(summary)}</span>
        </p>
      )}
      <section className={css.blk}>
        <h3>Inputs</h3>
        <Code value={inputs ?? {}} label="Inputs" />
      </section>
      <section className={css.blk}>
        <h3>Console output</h3>
        {logs.length === 0 ? (
          <p className="dim">{ended === undefined ? "Appears here when the code has finished." : "The code logged nothing."}</p>
        ) : (
          <Code value={logs.join("\n")} label="Console output" />
        )}
      </section>
    </>
  )
}
