// wait: waits until a time, for a duration, or for a signal from outside. Nothing runs meanwhile [J13].

import { defined } from "../defined.ts"
import { parseDuration } from "../text/duration.ts"
import type { WaitStep } from "../flow/flow.ts"
import type { FieldTable } from "../flow/parse/field-table.ts"
import { readFields } from "../flow/parse/read-fields.ts"
import { shown } from "../flow/parse/report.ts"
import { isName } from "../text/names.ts"
import { references } from "../flow/template.ts"
import type { Json } from "../json.ts"
import type { Fact } from "../run/event.ts"
import { waitKey } from "../run/key.ts"
import { signalMark, taint } from "../run/session/taint.ts"
import type { Signal } from "../run/signal.ts"
import { stepState, type Run } from "../run/state.ts"
import { fill } from "../run/steps/scope.ts"
import { dueIn, isTested } from "../run/tested.ts"
import { isoTime, parseIsoTime } from "../text/iso-time.ts"
import type { StepKind, StepSource } from "./kind.ts"

/** Limit: signals kept before a step waits for them → 409 `too_many_signals`. */
export const MAX_SIGNALS = 100
/** The most characters of all kept signals, which are part of every snapshot of the run. */
const MAX_SIGNAL_CHARS = 2 * 1024 * 1024 // limit: characters of all kept signals → 409 `too_many_signals`

const FIELDS = {
  until: { kind: "template", about: "the time to wait for: 2027-01-31T09:00:00Z" },
  for: { kind: "template", about: "the duration to wait: 30s, 5m, 2h, 3d" },
  signal: { kind: "text", about: "the name of a signal, posted to the run; its body becomes the output payload" },
  on_timeout: { kind: "step", about: "the step to go to if the signal does not come within timeout" },
} as const satisfies FieldTable
const CHOICES = ["until", "for", "signal"] as const

export const wait: StepKind<WaitStep> = {
  fields: FIELDS,
  hints: CHOICES,
  read(common, source) {
    const { on_timeout, ...texts } = readFields(source.fields, FIELDS)
    const given = CHOICES.flatMap((key) => (texts[key]?.trim() ? [[key, texts[key].trim()] as const] : []))
    const choice: Pick<WaitStep, (typeof CHOICES)[number]> = Object.fromEntries(given)
    const step: WaitStep = { ...common, type: "wait", ...choice, ...defined({ on_timeout }) }
    checkChoice(step, source)
    checkTimeout(step, source)
    return step
  },
  outputs: (step) => (step.signal === undefined ? [] : [{ name: "payload" }]),
  open,
  wishes(run, { id }) {
    const { until, pass } = stepState(run, id)
    return until === undefined ? [] : [{ do: "wake", key: waitKey(id, pass), at: until }]
  },
  timedOut,
  waitsFor: (step) => (step.signal === undefined ? "time" : "signal"),
  chooser: () => "check",
  stub: (base) => ({ ...base, type: "wait" }),
}

function checkChoice({ until, for: span, signal }: WaitStep, { fields, report }: StepSource): void {
  const { where } = fields
  const given = CHOICES.filter((key) => fields.has(key))
  if (given.length !== 1 || [until, span, signal].every((x) => x === undefined))
    report.error(
      "FV-WAIT",
      fields.keyAt(given[1] ?? given[0] ?? "type"),
      given.length > 1
        ? `${where} waits for ${given.map((key) => `"${key}"`).join(" and ")}; it can wait for only one thing`
        : `${where} does not say what it waits for`,
      given.length > 1 ? `keep one of ${given.join(", ")}` : "for: 30s, until: 2027-01-31T09:00:00Z, or signal: NAME",
    )
  if (signal !== undefined && !isName(signal))
    report.error(
      "FV-WAIT-SIGNAL",
      fields.valueAt("signal"),
      `${where}: ${shown(signal)} is not a valid signal name: the name is part of a URL`,
      `signal: ${
        signal
          .replaceAll(/[^A-Za-z0-9_-]+/g, "-")
          .replace(/^-+/, "")
          .slice(0, 60) || "NAME"
      }`,
    )
  if (span !== undefined && isLiteral(span) && !((parseDuration(span) ?? 0) > 0))
    report.error(
      "FV-WAIT-TIME",
      fields.valueAt("for"),
      `${where}: ${shown(span)} is not a duration`,
      "for: 30s, 5m, 2h, 3d, or milliseconds",
    )
  if (until === undefined || !isLiteral(until)) return
  if (parseIsoTime(until) === undefined)
    report.error(
      "FV-WAIT-TIME",
      fields.valueAt("until"),
      `${where}: ${shown(until)} is not a time; write a date, a time of day and a time zone`,
      "until: 2027-01-31T09:00:00Z",
    )
  else if (!/[zZ]$|[+-]\d{2}:?\d{2}$/.test(until.slice("2027-01-31".length)))
    report.warn(
      "FV-WAIT-TIME",
      fields.valueAt("until"),
      `${where}: ${shown(until)} has no time zone, so it is taken as UTC`,
      `until: ${until.includes(":") ? `${until}Z, or with an offset: ${until}+01:00` : `${until}T00:00:00Z`}`,
    )
}

const isLiteral = (text: string): boolean => references(text).length === 0

function checkTimeout({ on_timeout, signal, timeout }: WaitStep, { fields, report }: StepSource): void {
  if (on_timeout === undefined || (timeout !== undefined && signal !== undefined)) return
  report.error(
    "FV-WAIT-TIMEOUT",
    fields.keyAt("on_timeout"),
    signal === undefined
      ? `${fields.where}: on_timeout needs a signal; a wait for a time cannot time out`
      : `${fields.where}: on_timeout is never used, because the step has no timeout`,
    signal === undefined ? "remove it" : "timeout: 1h",
  )
}

function open(run: Run, step: WaitStep): Fact[] {
  const pass = stepState(run, step.id).pass
  const warnings: Fact[] = []
  const marks = taint(run, [step.until ?? "", step.for ?? ""])
  const opened = (more: { until?: number; private?: true } = {}): Fact[] => [
    { type: "step.opened", step: step.id, stepType: step.type, pass, tools: [], ...marks, ...more },
    ...warnings,
  ]
  if (step.signal !== undefined) {
    const early = run.signals.find((s) => s.name === step.signal)
    return early
      ? [
          ...opened(early.private === true ? { private: true } : {}),
          { type: "signal.taken", step: step.id, name: early.name },
          received(step.id, pass, early.name, early.payload),
        ]
      : isTested(run)
        ? [...opened(), unsignaled(step, pass)]
        : opened()
  }
  const text = fill(run, step.id, {}, step.until ?? step.for ?? "", warnings).trim()
  const span = step.until === undefined ? parseDuration(/^\d+$/.test(text) ? Number(text) : text) : undefined
  const until = step.until === undefined ? (span === undefined ? undefined : run.at + span) : parseIsoTime(text)
  if (until !== undefined) return opened({ until: dueIn(run, until, run.at) })
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

const received = (step: string, pass: number, name: string, payload: Json): Fact => ({
  type: "step.finished",
  step,
  pass,
  status: "complete",
  summary: `The signal "${name}" came.`,
  files: [],
  outputs: { payload },
})

/** If the signal does not come in time, the step takes its timeout branch, if any. */
function timedOut(step: WaitStep, pass: number): Fact | undefined {
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

/** [K21] In a test no signal comes: the wait is over as if its time were up, or with nothing as its payload. */
const unsignaled = (step: WaitStep, pass: number): Fact => timedOut(step, pass) ?? received(step.id, pass, step.signal ?? "", null)

/** The signal names that steps of the run's flow wait for. */
export const signalsOf = ({ plan }: Pick<Run, "plan">): string[] => [
  ...new Set([...plan.steps.values()].flatMap((step) => (step.type === "wait" && step.signal !== undefined ? [step.signal] : []))),
]

type PostedSignal = Extract<Signal, { type: "signal" }>

/** Gives a signal to the first open step that waits for its name, or keeps it. Undefined: too many signals are already kept. */
export function signaled(run: Run, { name, payload, by, id: word }: PostedSignal, open: readonly string[]): Fact[] | undefined {
  const said = { type: "signal.received" as const, name, payload, by, ...defined({ id: word }), ...signalMark(run) }
  for (const id of open) {
    const step = run.plan.steps.get(id)
    if (step?.type === "wait" && step.signal === name) return [{ ...said, step: id }, received(id, stepState(run, id).pass, name, payload)]
  }
  if (run.signals.length >= MAX_SIGNALS) return undefined
  const kept = [...run.signals.map((s) => s.payload), payload].reduce<number>((sum, p) => sum + JSON.stringify(p).length, 0)
  return kept <= MAX_SIGNAL_CHARS ? [said] : undefined
}
