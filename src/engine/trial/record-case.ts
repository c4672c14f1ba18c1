// Makes a case from an ended run [K22]: reads its journals and files, tries the case on the run's own definitions, and removes unrepeatable
// values from its expectation.

import { besideFailure, isCut } from "../../core/case/beside-failure.ts"
import { playsOf, type Plays } from "../../core/case/play.ts"
import { recordedOf, rehearsalText, type RecordedRun } from "../../core/case/recorded-case.ts"
import { expectationOf, without } from "../../core/case/recorded-expectation.ts"
import { foundIn } from "../../core/case/tested-run.ts"
import type { TestCase } from "../../core/case/test-case.ts"
import { defined } from "../../core/defined.ts"
import type { JsonObject } from "../../core/json.ts"
import { err, ok, type Result } from "../../core/result.ts"
import type { GivenFiles } from "../../core/run/given-file.ts"
import type { Pins } from "../../core/run/event-parts.ts"
import type { EventOf } from "../../core/run/event.ts"
import type { RunView } from "../../core/run/views/view.ts"
import type { Pinned } from "../../ports/tenant/authoring/trials.ts"
import { trialOf } from "../catalog/check/flow-tests.ts"
import { eventsOf, runCase, type TrialDeps } from "./run-case.ts"
import { TESTS_MS } from "./run-tests.ts"

export interface RecordDeps extends TrialDeps {
  /** The run's own pins with these plays, every model rehearsed. */
  pinned(pins: Pins, plays: Plays): Promise<Pinned>
}

/** Files whose whole text is expected. */
const SHOWN_FILES = 20
const SHOWN_TEXT = 4_096
const MAX_CHILDREN = 500 // limit: children of a run that becomes a case → 422 with the reason
/** Tries until the expectation holds what comes again. */
const MAX_TRIES = 3 // limit: times that a new case is tried → 422 with the reason

/** The case, or a sentence that says why the run cannot become one. */
export async function recordCase(deps: RecordDeps, view: RunView, name: string): Promise<Result<JsonObject, string>> {
  if (view.status === "canceled") return err("the run was canceled, and a test cannot be")
  const budget = { left: MAX_CHILDREN }
  const root = await readRecorded(deps, view.id, view.flow, budget)
  const started = root.events[0]
  if (started?.type !== "run.started") return err("the run has no start")
  if (budget.left < 0) return err(`the run has more than ${MAX_CHILDREN} children`)
  const { rehearsal, answers } = recordedOf(root)
  const files = await givenOf(deps, started)
  if (!files.ok) return files
  const turns = repliesIn(root) - root.events.filter((e) => e.type === "model.replied").length
  const found = foundIn(view, root.events, turns)
  const expected = expectationOf(found, { files: await writtenBy(deps, view), beside: besideFailure(root.events), cut: isCut(root) })
  const one = {
    name,
    ...(started.task === "" ? {} : { task: started.task }),
    ...(Object.keys(started.inputs).length > 0 ? { inputs: started.inputs } : {}),
    ...defined({ trigger: started.payload as JsonObject | undefined }),
    autonomous: started.autonomous,
    ...(Object.keys(files.value).length > 0 ? { files: files.value } : {}),
  }
  const expect = await tried(deps, { ...one, rehearsal, answers, expect: expected }, started.pinned)
  if (!expect.ok) return expect
  return ok({
    ...(one as JsonObject),
    ...(rehearsal.size > 0 ? { rehearsal: rehearsalText(rehearsal) } : {}),
    ...(answers.length > 0 ? { answers: answers.map(({ step, body }) => ({ ...defined({ step }), ...body })) } : {}),
    expect: expect.value,
  })
}

async function tried(deps: RecordDeps, one: TestCase, pins: Pins): Promise<Result<JsonObject, string>> {
  const pinned = await deps.pinned(pins, playsOf(one.rehearsal))
  const until = deps.now() + TESTS_MS
  let { expect } = one
  for (let i = 0; i < MAX_TRIES; i++) {
    const { failures } = await runCase(deps, trialOf({ ...one, expect }, pinned), until)
    if (failures.length === 0) return ok(expect)
    const grave = failures.find(({ at }) => !/^\/(?:output|error|branches|steps|files|turns|tool_calls)(?:\/|$)/.test(at))
    if (grave)
      return err(
        `it does not come again with its replies recorded: ${grave.at || "the run"}: expected ${said(grave.expected)}, found ${said(grave.found)}`,
      )
    expect = without(expect, failures)
  }
  return err("its result changes each time")
}

const said = (value: unknown): string => JSON.stringify(value).slice(0, 300)

const repliesIn = ({ events, children }: RecordedRun): number =>
  [...children.values()].reduce((sum, child) => sum + repliesIn(child), events.filter((e) => e.type === "model.replied").length)

/** The journals of a run and of its children; `budget.left` below 0: there are more. */
export async function readRecorded(deps: Pick<TrialDeps, "run">, id: string, flow: string, budget: { left: number }): Promise<RecordedRun> {
  const events = await eventsOf(deps.run(id))
  const first = events[0]
  const children = new Map<string, RecordedRun>()
  for (const e of events)
    if (e.type === "child.started" && --budget.left >= 0) children.set(e.run, await readRecorded(deps, e.run, "", budget))
  return { flow: first?.type === "run.started" ? first.flow : flow, events, children }
}

/** The files that the run began with, as a start has them. */
export async function givenOf(
  deps: Pick<TrialDeps, "run">,
  { files = [], run }: EventOf<"run.started">,
): Promise<Result<GivenFiles, string>> {
  const given: Record<string, GivenFiles[string]> = {}
  for (const { path, hash, tainted } of files) {
    const now = await deps.run(run).file(path)
    if (now?.entry.hash !== hash) return err(`the run changed ${path}, which it was given, so its original text is unavailable`)
    given[path] = tainted === true ? { text: decoded(now.body), untrusted: true } : decoded(now.body)
  }
  return ok(given)
}

/** Small texts that the run wrote. */
async function writtenBy(deps: TrialDeps, { id, files = [] }: RunView): Promise<Map<string, string>> {
  const given = new Set(files.map(({ path }) => path))
  const texts = new Map<string, string>()
  for (const { path, size } of (await deps.run(id).files()) ?? []) {
    if (given.has(path) || size > SHOWN_TEXT || texts.size >= SHOWN_FILES) continue
    const file = await deps.run(id).file(path)
    if (file) texts.set(path, decoded(file.body))
  }
  return texts
}

const decoded = (body: Uint8Array): string => new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(body)
