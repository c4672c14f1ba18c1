// The tests of a flow beside its editor [K20–K24]: its cases with what each last gave, a backtest on recorded runs, and the gate.

import { useEffect, useState, type MouseEvent } from "react"
import { visible } from "../../../web/chat/wording.ts"
import { clockTime } from "../../../web/clock.ts"
import { Skeleton } from "../parts/skeleton.tsx"
import { counted } from "../parts/figures.ts"
import { FaultLine } from "../inbox/fault-line.tsx"
import type { SideProps } from "../flows/side.ts"
import { Icon } from "../shell/icons.tsx"
import { useKeys } from "../shell/keys.ts"
import { goQuery, useQuery } from "../shell/place.ts"
import { Backtest } from "./backtest.tsx"
import { CaseEditor, type Editing } from "./case-editor.tsx"
import { CaseList, idOf } from "./case-list.tsx"
import { Gate } from "./gate.tsx"
import { SaveRun } from "./save-run.tsx"
import { useCases } from "./use-cases.ts"
import { useFlowFiles } from "./use-flow-files.ts"
import { classes } from "../parts/classes.ts"
import css from "./flow-tests.module.css"

export function FlowTests({ api, flow, text, saved, onSaved }: SideProps) {
  const files = useFlowFiles(api, flow, saved)
  const isDraft = saved !== undefined && text !== saved
  const path = files.value?.path
  const definitions = isDraft && path !== undefined ? { [path]: text } : undefined
  const tests = useCases(api, flow, definitions)
  const [editing, setEditing] = useState<Editing>()
  const [isSaving, setSaving] = useState(false)
  const [made, setMade] = useState<{ readonly name: string; readonly at: number }>()
  const cases = tests.file?.cases ?? []
  const isReady = path !== undefined && cases.length > 0
  const runAll = (): void => {
    if (isReady) tests.run(cases.map(({ name }) => name))
  }
  useKeys("flow", { tests: runAll })
  // `?run`: whoever opened the tab wants them run.
  const isWanted = useQuery().has("run")
  useEffect(() => {
    if (!isWanted || !isReady) return
    goQuery({ run: undefined })
    runAll()
  }, [isWanted, isReady])
  if (saved === undefined) return <p className={classes(css.tests, "mid")}>Save the flow first: tests are kept with the saved flow.</p>
  const changed = (): void => {
    setEditing(undefined)
    tests.reload()
    onSaved()
  }
  const { path: testsPath, tier } = tests.file ?? {}
  const isOwn = tier === undefined || tier === "local"
  return (
    <div className={css.tests}>
      <h2 className="vh">Tests</h2>
      <section className={css.blk}>
        <div className="bar">
          {cases.length > 0 && !tests.isRunning && (
            <button className={editing ? "btn" : "btn first"} type="button" aria-disabled={!isReady} onClick={runAll}>
              Run {cases.length} {isDraft ? "against this draft" : "as saved"} <kbd>Ctrl Shift T</kbd>
            </button>
          )}
          {tests.isRunning && (
            <button className="btn" type="button" onClick={tests.stop}>
              Stop
            </button>
          )}
          {tests.file && isOwn && (
            <button className="btn" type="button" onClick={() => setEditing({ what: "new" })}>
              Add a case
            </button>
          )}
          {cases.length > 0 && isOwn && (
            <button className="btn bare" type="button" onClick={() => setEditing({ what: "file" })}>
              Edit the file
            </button>
          )}
          {cases.length > 0 && (
            <button className="btn bare" type="button" onClick={() => setSaving(true)}>
              Save a run as a test
            </button>
          )}
        </div>
        <p className="dim small">
          Tests are rehearsals: no model is called and nothing is sent.{isOwn ? "" : ` These tests come with ${tier}.`}
        </p>
        {made && (
          <p className="msg succeeded" role="status">
            <Icon name="succeeded" kind="i-s" />
            <span>
              Saved {clockTime(made.at)}: a test from the run.{" "}
              <a className="link" href={`#${idOf(made.name)}`} onClick={(event) => show(event, made.name)}>
                {visible(made.name)}
              </a>
            </span>
          </p>
        )}
        <FaultLine fault={tests.fault ?? tests.stopped ?? files.fault} />
        {tests.file === undefined && tests.fault === undefined && <Skeleton words="Reading the tests" />}
        {editing && (
          <CaseEditor
            key={JSON.stringify(editing)}
            api={api}
            flow={flow}
            file={tests.file}
            editing={editing}
            onDone={changed}
            onClose={() => setEditing(undefined)}
          />
        )}
        {tests.file && cases.length === 0 && !editing && (
          <div className="empty-state">
            <p className="mid">
              {testsPath === undefined
                ? "This flow has no tests. A test says how a run starts and how it must end."
                : `${testsPath} has no test that can be read.`}
            </p>
            <button className="btn first" type="button" onClick={() => setSaving(true)}>
              Save a run as a test
            </button>
          </div>
        )}
        <CaseList
          cases={cases}
          ran={tests.ran}
          revision={files.value?.revision}
          isOwn={isOwn}
          onRun={(name) => tests.run([name])}
          onEdit={(at, instead) => setEditing({ what: "case", at, ...(instead ? { instead } : {}) })}
        />
        <p className="vh" role="status">
          {tests.isRunning ? "" : verdictOf([...tests.ran.values()].flatMap(({ result }) => result ?? []))}
        </p>
      </section>
      <Backtest api={api} flow={flow} definitions={definitions} isDraft={isDraft} />
      <Gate api={api} flow={flow} path={path} draft={isDraft ? text : undefined} />
      {isSaving && (
        <SaveRun
          api={api}
          flow={flow}
          onClose={() => setSaving(false)}
          onDone={(name) => {
            changed()
            setMade({ name, at: Date.now() })
          }}
        />
      )}
    </div>
  )
}

/** Leads to the case in the list, and to its button. */
function show(event: MouseEvent, name: string): void {
  event.preventDefault()
  const row = document.getElementById(idOf(name))
  row?.scrollIntoView({ block: "center" })
  row?.querySelector("button")?.focus()
}

function verdictOf(results: readonly { readonly passed: boolean }[]): string {
  if (results.length === 0) return ""
  const failed = results.filter(({ passed }) => !passed).length
  return failed === 0 ? `${counted(results.length, "test")} passed.` : `${failed} of ${counted(results.length, "test")} failed.`
}
