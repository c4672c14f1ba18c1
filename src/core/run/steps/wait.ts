// Waiting steps and signals: until a time, for a duration, or for a word from outside. Nothing runs meanwhile [J13].

import { parseDuration } from "../../flow/duration.ts"
import type { WaitStep } from "../../flow/flow.ts"
import { parseIsoTime, isoTime } from "../../text/iso-time.ts"
import type { Json } from "../../json.ts"
import type { Fact } from "../event.ts"
import { fill } from "./scope.ts"
import type { Signal } from "../signal.ts"
import { stepState, type Run } from "../state.ts"

/** Signals that came before anybody waited for them are kept, up to this many. */
export const MAX_SIGNALS = 100
/** And up to so many characters: they stand in every snapshot of the run until they are taken. */
const MAX_SIGNAL_CHARS = 2 * 1024 * 1024

export const waitKey = (step: string, pass: number): string => `wait/${step}/${pass}`

export function openWait(run: Run, step: WaitStep): Fact[] {
  const pass = stepState(run, step.id).pass
  const warnings: Fact[] = []
  const opened = (until?: number): Fact[] => [
    { type: "step.opened", step: step.id, stepType: step.type, pass, tools: [], ...(until === undefined ? {} : { until }) },
    ...warnings,
  ]
  if (step.signal !== undefined) {
    const early = run.signals.find((s) => s.name === step.signal)
    return early
      ? [...opened(), { type: "signal.taken", step: step.id, name: early.name }, received(step.id, pass, early.name, early.payload)]
      : opened()
  }
  const text = fill(run, step.id, {}, step.until ?? step.for ?? "", warnings).trim()
  const span = step.until === undefined ? parseDuration(/^\d+$/.test(text) ? Number(text) : text) : undefined
  const until = step.until === undefined ? (span === undefined ? undefined : run.at + span) : parseIsoTime(text)
  if (until !== undefined) return opened(until)
  const what = step.until === undefined ? "a duration such as 30s, 5m, 2h" : "a time such as 2026-12-24T18:00:00Z"
  return [
    ...opened(),
    {
      type: "step.finished",
      step: step.id,
      pass,
      status: "error",
      source: "config",
      summary: `"${text}" is no ${what.slice(2)}: write ${what}`,
      files: [],
      outputs: {},
    },
  ]
}

export const waited = (step: string, pass: number, until: number): Fact => ({
  type: "step.finished",
  step,
  pass,
  status: "complete",
  summary: `Waited until ${isoTime(until)}.`,
  files: [],
  outputs: {},
})

export const received = (step: string, pass: number, name: string, payload: Json): Fact => ({
  type: "step.finished",
  step,
  pass,
  status: "complete",
  summary: `The signal "${name}" came.`,
  files: [],
  outputs: { payload },
})

/** The signal did not come in time: the timeout's branch, or a soft failure. */
export function timedOut(step: WaitStep, pass: number): Fact | undefined {
  if (step.on_timeout === undefined) return undefined
  return {
    type: "step.finished",
    step: step.id,
    pass,
    status: "complete",
    summary: `The signal "${step.signal ?? ""}" did not come within ${step.timeout ?? 0} ms.`,
    files: [],
    outputs: {},
    branch: "timeout",
  }
}

type SignalWord = Extract<Signal, { type: "signal" }>

/** A signal goes to the first open step that waits for its name, else it is kept; undefined: too many are kept already. */
export function signal(run: Run, { name, payload, by, id: word }: SignalWord, open: readonly string[]): Fact[] | undefined {
  const said = { type: "signal.received" as const, name, payload, by, ...(word === undefined ? {} : { id: word }) }
  for (const id of open) {
    const step = run.plan.steps.get(id)
    if (step?.type === "wait" && step.signal === name) return [{ ...said, step: id }, received(id, stepState(run, id).pass, name, payload)]
  }
  if (run.signals.length >= MAX_SIGNALS) return undefined
  const kept = [...run.signals.map((s) => s.payload), payload].reduce<number>((sum, p) => sum + JSON.stringify(p).length, 0)
  return kept <= MAX_SIGNAL_CHARS ? [said] : undefined
}
