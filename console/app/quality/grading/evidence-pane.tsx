// Shows what happened in the run that is graded: what it was asked, what it called, and its answer. All of it is text from others.

import type { RefObject } from "react"
import type { GradingEntry } from "../../../../src/api/doc/quality.doc.ts"
import { outlineOf } from "../../../../src/core/run/views/read-outline.ts"
import { visible } from "../../../../web/chat/wording.ts"
import { evidenceOf } from "../../../../web/quality/evidence.ts"
import { useAsked } from "../../parts/asked.ts"
import { AskedView } from "../../parts/asked-view.tsx"
import { classes } from "../../parts/classes.ts"
import { Code } from "../../parts/code.tsx"
import { duration, fullTime, shortTime } from "../../parts/figures.ts"
import { Markdown } from "../../parts/markdown.tsx"
import { Icon } from "../../shell/icons.tsx"
import type { Api } from "../../shell/session.ts"
import css from "./grading.module.css"

interface Props {
  readonly api: Api
  readonly entry: GradingEntry
  readonly pane: RefObject<HTMLDivElement | null>
}

export function EvidencePane({ api, entry: { run, flow, since }, pane }: Props) {
  const asked = useAsked(["once", "evidence", run], async () => {
    const [view, events] = await Promise.all([api.runs.get(run), api.runs.journal(run)])
    return { run, evidence: evidenceOf(view, outlineOf(events)) }
  })
  return (
    <section className="panel" aria-label="What happened">
      <div className="panel-head">
        <h2>{flow}</h2>
        <span className={classes("dim nowrap", css.since)} title={fullTime(since)}>
          waits since {shortTime(since)}
        </span>
        <span className="grow" />
        <span className={classes("dim small nowrap", css.since)}>the judge’s score is not shown</span>
      </div>
      <div className={css.body} tabIndex={0} ref={pane} role="group" aria-label="The evidence">
        <AskedView what="the run" of={asked.value?.run === run ? asked : { ...asked, value: undefined }}>
          {({ evidence: { task, inputs, calls, answer, error } }) => (
            <>
              <section>
                <h3>Asked</h3>
                <p className={css.said} dir="auto">
                  {visible(task) || "Nothing but its inputs."}
                </p>
                {Object.keys(inputs).length > 0 && <Code value={inputs} label="Inputs" />}
              </section>
              {calls.length > 0 && (
                <section>
                  <h3>What it did</h3>
                  <ul className={css.calls}>
                    {calls.map(({ id, tool, about, ms, isBad }) => (
                      <li key={id}>
                        <Icon
                          name={isBad ? "failed" : "check"}
                          kind={isBad ? "i-s failed" : "i-s dim"}
                          label={isBad ? "Refused or failed" : "Worked"}
                        />
                        <b className="mono">{visible(tool)}</b>
                        <span className="dim mono cut">{visible(about)}</span>
                        <span className="num dim">{ms === undefined ? "" : duration(ms)}</span>
                      </li>
                    ))}
                  </ul>
                </section>
              )}
              <section className={css.answer}>
                <h3>Answer</h3>
                {answer === "" ? (
                  <p className="dim">{error === undefined ? "It gave none." : visible(error)}</p>
                ) : (
                  <Markdown text={answer} />
                )}
              </section>
            </>
          )}
        </AskedView>
      </div>
    </section>
  )
}
