// Runs one case of a flow's tests [K21]: starts it rehearsed and dry, answers its questions in order, and compares its result. Never
// rejects for a fault of the case: that is a failed case.

import type { CaseFailure, CaseResult } from "../../core/case/test-report.ts"
import { failuresOf, filesOf, foundIn, scoreFailures, short } from "../../core/case/tested-run.ts"
import { defined } from "../../core/defined.ts"
import type { Json } from "../../core/json.ts"
import type { Answer } from "../../core/run/signal.ts"
import type { RunEvent } from "../../core/run/event.ts"
import type { InteractionView, RunView } from "../../core/run/views/view.ts"
import type { GivenFilesPort } from "../../ports/given-files.ts"
import type { RunPort } from "../../ports/run.ts"
import type { TrialCase } from "../../ports/tenant/authoring/trials.ts"
import { startableWith, unstartableText, type Unstartable } from "../catalog/pin/startable.ts"
import { startOf } from "../run/begin/start.ts"

export interface TrialDeps {
  readonly tenant: string
  /** Who asked; the runs are told by this name. */
  readonly by: string
  /** [F77] An agent wrote what is tested, and nobody has accepted it. */
  readonly unaccepted?: true
  runId(): Promise<string>
  run(id: string): RunPort
  readonly keepFiles: GivenFilesPort["keep"]
  now(): number
}

/** How long one look at a run waits: a child that asks does not end its parent's wait. */
const LOOK_MS = 250
/** Children of a run that are looked through for questions, and for turns. */
const MAX_CHILDREN = 500 // limit: children of a case's run that are looked through for questions → others are not answered
const PAGE = 500

/** `until`: the deadline of the case (ms). `id`: the run's id, if known. */
export async function runCase(deps: TrialDeps, one: TrialCase, until: number, id?: string): Promise<CaseResult> {
  const began = deps.now()
  const told = (run: string | null, failures: readonly CaseFailure[]): CaseResult => ({
    name: one.name,
    passed: failures.length === 0,
    run,
    ms: Math.max(0, deps.now() - began),
    failures,
  })
  if (began >= until) return told(null, [lateness])
  const ready = await startableWith(one.files, deps.keepFiles, one.pinned, { task: one.task, inputs: one.inputs })
  if (!ready.ok) return told(null, [noStart(ready.error, one.task)])
  const { daily: _none, ...start } = ready.value
  const run = id ?? (await deps.runId())
  const port = deps.run(run)
  await port.start(
    startOf(one.pinned, {
      ...start,
      tenant: deps.tenant,
      run,
      task: one.task,
      trigger: { kind: "test", key: deps.by },
      autonomous: one.autonomous,
      payload: one.payload,
      // [W4] A trigger's data is text from outside, and so is what its author had read.
      tainted: one.payload !== undefined || deps.unaccepted === true,
      private: deps.unaccepted,
      unaccepted: deps.unaccepted,
      effects: "dry",
    }),
  )
  const stopped = await answered(deps, one, run, until)
  if (stopped !== undefined) {
    await port.cancel("test")
    return told(run, [stopped])
  }
  return told(run, await compared(deps, one, run))
}

const lateness: CaseFailure = { at: "", expected: "an end within the time of all cases, 60 s", found: "it was still running" }

/** What was expected of each part of the start, and where it is in the case. */
const PARTS = {
  task_required: { at: "/task", expected: "a task, which the flow needs" },
  inputs: { at: "/inputs", expected: "inputs that the flow takes" },
  files: { at: "/files", expected: "files" },
  no_price: { at: "", expected: "a start" },
} as const

const noStart = (why: Unstartable, task: string): CaseFailure => ({
  ...PARTS[why.code],
  found: why.code === "task_required" ? task : unstartableText(why),
})

/** Waits for the end and answers on the way. Returns why the case cannot go on; undefined: the run has ended. */
async function answered(deps: TrialDeps, one: TrialCase, run: string, until: number): Promise<CaseFailure | undefined> {
  const left = one.answers.map((answer, i) => ({ ...answer, i }))
  for (;;) {
    const time = until - deps.now()
    if (time <= 0) return lateness
    const view = await deps.run(run).wait(Math.min(time, LOOK_MS))
    if (!view) return { at: "", expected: "an end", found: "the run was deleted" }
    if (view.ended !== undefined) return undefined
    for (const asked of await questionsOf(deps, view)) {
      const own = left.findIndex(({ step }) => step === asked.place)
      const at = own >= 0 ? own : left.findIndex(({ step }) => step === undefined)
      const [answer] = at < 0 ? [] : left.splice(at, 1)
      if (!answer) return { at: "/answers", expected: `an answer to the question of ${asked.place}`, found: questionOf(asked.question) }
      const done = await deps.run(asked.question.run).answer(asked.question.id, answer.body as Answer, deps.by)
      if (!done.ok && done.code !== "already_answered")
        return { at: `/answers/${answer.i}`, expected: `an answer to the question of ${asked.place}`, found: whyNot(done) }
    }
  }
}

const whyNot = (done: { readonly code: string; readonly errors?: readonly { path: string; message: string }[] }): string =>
  done.errors?.map(({ path, message }) => `${path === "" ? "" : `${path}: `}${message}`).join("; ") ?? done.code

const questionOf = ({ kind, payload }: InteractionView): Json => short({ kind, ...payload })

export interface OpenQuestion {
  /** STEP, or FLOW/STEP for a child's. */
  readonly place: string
  readonly question: InteractionView
}

/** The open questions of the run and of its children, oldest first in each. */
export async function questionsOf(deps: Pick<TrialDeps, "run">, view: RunView): Promise<readonly OpenQuestion[]> {
  const all: OpenQuestion[] = []
  await eachRun(deps, view, async (one) => {
    if (one.pending === 0) return
    const open = (await deps.run(one.id).interactions("pending")) ?? []
    for (const question of open) all.push({ place: one.id === view.id ? question.step : `${one.flow}/${question.step}`, question })
  })
  return all
}

/** The run and its children, as far as they are looked through. */
async function eachRun(deps: Pick<TrialDeps, "run">, root: RunView, visit: (view: RunView) => Promise<void>): Promise<void> {
  const open: (RunView | string)[] = [root]
  for (let seen = 0; seen < MAX_CHILDREN; seen++) {
    const next = open.shift()
    const view = typeof next === "string" ? await deps.run(next).view() : next
    if (next === undefined) return
    if (!view) continue
    await visit(view)
    open.push(...view.children)
  }
}

async function compared(deps: TrialDeps, { expect, scorers }: TrialCase, run: string): Promise<readonly CaseFailure[]> {
  const port = deps.run(run)
  const view = await port.view()
  if (!view) return [{ at: "", expected: "a run", found: "the run was deleted" }]
  let turns = 0
  if (expect["turns"] !== undefined && view.children.length > 0)
    await eachRun(deps, view, async ({ id }) => {
      if (id !== run) turns += (await eventsOf(deps.run(id))).filter((e) => e.type === "model.replied").length
    })
  const files = new Map<string, string>()
  for (const path of filesOf(expect)) {
    const file = await port.file(path)
    const text = file && decoded(file.body)
    if (text !== undefined) files.set(path, text)
  }
  const failures = failuresOf(expect, { found: foundIn(view, await eventsOf(port), turns), files })
  return [...failures, ...scoreFailures(expect, await scoresOf(deps, scorers, run))]
}

/** [V39] The scores are part of the run's journal, as any score is [V11]. */
async function scoresOf(
  { run: of, by }: TrialDeps,
  scorers: TrialCase["scorers"] = [],
  run: string,
): Promise<Map<string, number | null | string>> {
  const found = new Map<string, number | null | string>()
  for (const { scorer, version, code } of scorers) {
    const answer = await of(run).score({ scorer, version, by, ...defined({ code }) })
    if (answer.state === "scored") found.set(scorer.name, answer.score.error ?? answer.score.score)
    else found.set(scorer.name, `no score: ${answer.state}`)
  }
  return found
}

export async function eventsOf(port: Pick<RunPort, "events">): Promise<RunEvent[]> {
  const all: RunEvent[] = []
  for (;;) {
    const page = await port.events(all.at(-1)?.seq ?? 0, PAGE)
    all.push(...(page?.data ?? []))
    if (!page || page.data.length === 0 || (page.more !== true && page.data.length < PAGE)) return all
  }
}

function decoded(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body)
  } catch {
    return undefined
  }
}
