// The queue of grades: one run after another, worked by keys alone. It shows what happened, and neither a score nor another grade, so that nobody
// grades by them.

import { useEffect, useRef, useState } from "react"
import type { GradingEntry } from "../../../../src/api/doc/quality.doc.ts"
import { PLAIN_LEVELS } from "../../../../src/core/flow/scorer.ts"
import { ScoresClient } from "../../../../src/client/scores.ts"
import { back, worked, emptyQueue, heard, keyOf, type Queue } from "../../../../web/quality/grading.ts"
import { useAsked } from "../../parts/asked.ts"
import { faultOf } from "../../parts/fault.ts"
import { Skeleton } from "../../parts/skeleton.tsx"
import { useKeys } from "../../shell/keys.ts"
import { Link } from "../../shell/link.tsx"
import { addressOf } from "../../shell/place.ts"
import type { Api } from "../../shell/session.ts"
import { titled } from "../../shell/title.ts"
import { QualityTabs } from "../quality-tabs.tsx"
import { GradeForm, type Grade } from "./grade-form.tsx"
import { EvidencePane } from "./evidence-pane.tsx"
import { Progress } from "./progress.tsx"
import css from "./grading.module.css"

const PAGE = 100
const NO_GRADE: Grade = { comment: "", correction: "" }

export function GradingPage({ api }: { readonly api: Api }) {
  const scores = new ScoresClient(api.transport)
  const waiting = useAsked(["grading", "queue"], async () => (await scores.grading({ limit: PAGE, brief: true }).page()).data)
  const [queue, setQueue] = useState<Queue<GradingEntry>>(emptyQueue)
  const [grade, setGrade] = useState(NO_GRADE)
  const [fault, setFault] = useState<string>()
  const [told, setTold] = useState("")
  const isBusy = useRef(false)
  const evidence = useRef<HTMLDivElement>(null)
  useEffect(() => titled("Grading"), [])
  useEffect(() => {
    if (waiting.value !== undefined) setQueue((before) => heard(before, waiting.value ?? []))
  }, [waiting.value])
  const entry = queue.entries[queue.at]
  const key = entry === undefined ? "" : keyOf(entry)
  useEffect(() => setGrade(NO_GRADE), [key])
  const mayGrade = api.who.scopes.includes("interactions:answer") && api.who.scopes.includes("runs:write")
  const levels = entry?.levels ?? PLAIN_LEVELS
  const act = (how: "graded" | "skipped", send: (of: GradingEntry) => Promise<unknown>): void => {
    if (entry === undefined || isBusy.current || !mayGrade) return
    isBusy.current = true
    setFault(undefined)
    send(entry)
      .then(
        () => {
          setQueue((before) => worked(before, how))
          setTold(how === "graded" ? "Graded." : "Skipped.")
          evidence.current?.focus({ preventScroll: true })
        },
        (error: unknown) => setFault(faultOf(error)),
      )
      .finally(() => (isBusy.current = false))
  }
  const send = (): unknown => {
    const { score, comment, correction } = grade
    if (score === undefined) return setFault("Choose a level first.")
    return act("graded", ({ run, scorer }) =>
      scores.feedback(run, {
        scorer,
        score,
        ...(comment.trim() === "" ? {} : { comment: comment.trim() }),
        ...(correction.trim() === "" ? {} : { correction: correction.trim() }),
      }),
    )
  }
  const skip = (): void =>
    act("skipped", async ({ run, scorer }) => (queue.marks[key] === undefined ? scores.skipGrade(run, scorer) : undefined))
  const goBack = (): unknown => (queue.at === 0 ? false : setQueue(back))
  useKeys(
    "grading",
    {
      level: ({ key: pressed }) => {
        const level = levels[Number(pressed) - 1]
        return level === undefined ? false : setGrade((before) => ({ ...before, score: level.score }))
      },
      // Another button has its own Enter.
      grade: ({ target }) => (target instanceof HTMLElement && target.closest("button, a") !== null ? false : send()),
      skip,
      back: goBack,
    },
    entry === undefined,
  )
  useKeys("sending", { send }, entry === undefined)
  return (
    <main id="main" className={css.grading}>
      <QualityTabs api={api} tab="grading">
        <span className="grow" />
        {queue.entries.length > 0 && <Progress queue={queue} />}
      </QualityTabs>
      <p className="vh" role="status">
        {told}
      </p>
      {waiting.fault !== undefined && (
        <p className="note error" role="alert">
          <span>The queue could not be read. {waiting.fault}</span>
          <button className="btn" type="button" onClick={waiting.again}>
            Try again
          </button>
        </p>
      )}
      {waiting.value === undefined ? (
        waiting.fault === undefined && <Skeleton words="Reading the queue" />
      ) : entry === undefined ? (
        <Nothing isDone={queue.entries.length > 0} onBack={queue.entries.length > 0 ? goBack : undefined} />
      ) : (
        <div className={css.cols}>
          <EvidencePane key={key} api={api} entry={entry} pane={evidence} />
          <GradeForm
            entry={entry}
            levels={levels}
            grade={grade}
            fault={fault}
            isOff={!mayGrade}
            isFirst={queue.at === 0}
            onChange={setGrade}
            onGrade={send}
            onSkip={skip}
            onBack={goBack}
          />
        </div>
      )}
    </main>
  )
}

function Nothing({ isDone, onBack }: { readonly isDone: boolean; readonly onBack: (() => unknown) | undefined }) {
  return (
    <section className="panel empty-state">
      <h2>{isDone ? "All of them are graded" : "Nothing waits for a grade"}</h2>
      <p className="mid">
        People grade a share of the runs that judges score. How well a judge agrees with them says whether it can be trusted.
      </p>
      <p className="bar">
        <Link className="btn" href={addressOf("settings", "scoring")}>
          Which runs are graded
        </Link>
        {onBack && (
          <button className="btn bare" type="button" onClick={() => void onBack()}>
            Back to the last
          </button>
        )}
      </p>
    </section>
  )
}
