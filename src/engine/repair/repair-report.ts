// Reports a run to the architect that repairs its flow [13.7]: why it failed, or its low score [V18]; the result of each step; and for the
// failed or last step its tools, prompt, conversation and the guard's verdicts. If the step ran children, the report continues in the failed
// one. It may contain anything that the run has read, so it is between delimiters that the text cannot guess [G11].

import { defined } from "../../core/defined.ts"
import type { RunEvent } from "../../core/run/event.ts"
import { StepMessages, type StepMessage } from "../../core/run/session/step-messages.ts"
import type { RunPort } from "../../ports/run.ts"
import type { RepairedScore } from "../../ports/tenant/authoring/repairs.ts"
import { SUBAGENT_PREFIX } from "../catalog/pin/subagent-flow.ts"
import { asOutside } from "../run/call/outside-text.ts"

export interface RepairReport {
  readonly text: string
  /** Where the run itself failed, or its last step; absent: before any step opened. */
  readonly step?: string
  /** The run's flow, and those of the children through which it failed. */
  readonly flows: readonly string[]
  readonly agents: readonly string[]
  readonly isTainted: boolean
  readonly isPrivate: boolean
  /** The run belongs to an architect's session. */
  readonly isArchitects: boolean
}

const MAX_DEPTH = 4 // limit: runs of a repair's story, from the failed one down → the story ends there
/** Limit: characters of a repair's story → its middle is left out. */
export const MAX_STORY = 100_000
/** Characters of one message of a conversation, and of a step's summary. */
const SHOWN_MESSAGE = 8_000
const SHOWN_SUMMARY = 500
const PAGE = 500

interface StoryWish {
  readonly run: string
  /** Hex, never used before. */
  readonly nonce: string
  readonly low?: RepairedScore
}

/** undefined: there is no such run. */
export async function readStory(port: (run: string) => RunPort, { run, nonce, low }: StoryWish): Promise<RepairReport | undefined> {
  const parts: string[] = []
  const flows: string[] = []
  const agents: string[] = []
  let first: Told | undefined
  let isTainted = false
  let isPrivate = false
  for (let id: string | undefined = run, depth = 0; id !== undefined && depth < MAX_DEPTH; depth++) {
    const told = await toldOf(port(id))
    if (!told) break
    first ??= told
    isTainted ||= told.isTainted
    isPrivate ||= told.isPrivate
    if (told.flow.startsWith(SUBAGENT_PREFIX)) agents.push(told.flow.slice(SUBAGENT_PREFIX.length))
    else flows.push(told.flow)
    parts.push(id === run ? textOf(told, id, low) : textOf(told, id))
    id = told.child
  }
  if (!first) return undefined
  const each = Math.floor(MAX_STORY / parts.length)
  const text = parts.map((part) => middleCut(part, each)).join("\n\n")
  const [shown] = asOutside([{ type: "text", text }], nonce, `run ${run}`)
  return {
    text: shown?.type === "text" ? shown.text : "",
    ...defined({ step: first.step }),
    flows: [...new Set(flows)],
    agents: [...new Set(agents)],
    isTainted,
    isPrivate,
    isArchitects: first.isArchitects,
  }
}

interface Told {
  readonly flow: string
  readonly task: string
  readonly error: string
  readonly step?: string
  /** One line for each pass of a step. */
  readonly passes: readonly string[]
  readonly opening?: Extract<RunEvent, { type: "step.opened" }>
  readonly messages: readonly StepMessage[]
  /** What else was said about the step: failures of its models, budgets, warnings. */
  readonly notes: readonly string[]
  readonly child?: string
  readonly isTainted: boolean
  readonly isPrivate: boolean
  readonly isArchitects: boolean
}

/** Reads the journal twice: only its end says which step it is about. */
async function toldOf(port: RunPort): Promise<Told | undefined> {
  const view = await port.view()
  if (!view) return undefined
  const step = view.error?.step ?? lastOpened(view.steps)
  const said = step === undefined ? undefined : new StepMessages(step)
  const passes: string[] = []
  const notes: string[] = []
  let opening: Told["opening"]
  let child: string | undefined
  let isTainted = view.tainted === true
  let isPrivate = false
  let isArchitects = false
  for (let after = 0; ;) {
    const page = await port.events(after, PAGE)
    const last = page?.data.at(-1)
    if (!page || !last) break
    for (const e of page.data) {
      said?.take(e)
      isTainted ||= "tainted" in e && e.tainted === true
      isPrivate ||= "private" in e && e.private === true
      if (e.type === "run.started") isArchitects = e.staging !== undefined
      if (e.type === "step.finished") passes.push(`- ${e.step}, pass ${e.pass}: ${e.status}. ${startOf(e.summary, SHOWN_SUMMARY)}`)
      if (e.type === "step.skipped") passes.push(`- ${e.step}: skipped`)
      if (!("step" in e) || e.step !== step) continue
      if (e.type === "step.opened") {
        opening = e
        notes.length = 0
        child = undefined
      }
      if (e.type === "child.ended" && e.status !== "succeeded") child ??= e.run
      const note = noteOf(e)
      if (note !== undefined) notes.push(note)
    }
    after = last.seq
    if (page.ended && page.more !== true && page.data.length < PAGE) break
  }
  return {
    flow: view.flow,
    task: view.task,
    error: view.error?.message ?? "it ended without an error",
    ...defined({ step }),
    passes,
    ...(opening ? { opening } : {}),
    messages: said?.after(0) ?? [],
    notes,
    ...defined({ child }),
    isTainted,
    isPrivate,
    isArchitects,
  }
}

const lastOpened = (steps: Readonly<Record<string, { readonly started?: string }>>): string | undefined =>
  Object.entries(steps)
    .filter(([, { started }]) => started !== undefined)
    .toSorted(([, a], [, b]) => ((a.started ?? "") < (b.started ?? "") ? -1 : 1))
    .at(-1)?.[0]

function noteOf(e: RunEvent): string | undefined {
  switch (e.type) {
    case "model.failed":
      return `turn ${e.turn}: the model failed: ${startOf(e.message, SHOWN_SUMMARY)}`
    case "budget.exhausted":
      return "a budget is used up"
    case "child.ended":
      return `child ${e.index} (${e.run}): ${e.status}. ${startOf(e.summary, SHOWN_SUMMARY)}`
    case "code.logged":
      return `logged: ${startOf(e.messages.join("\n"), SHOWN_MESSAGE)}`
    case "warning":
      return `warning ${e.code}: ${startOf(e.message, SHOWN_SUMMARY)}`
    default:
      return undefined
  }
}

function textOf(told: Told, run: string, low?: RepairedScore): string {
  const { flow, task, error, step, passes, opening, messages, notes } = told
  const failed = `failed${step === undefined ? "" : ` at its step "${step}"`}: ${error}`
  return [
    `The run ${run} of the flow "${flow}" ${low ? scoredLow(low) : failed}`,
    `Its task:\n${startOf(task, SHOWN_MESSAGE)}`,
    passes.length === 0 ? "No step ended." : `What its steps came to, in order:\n${passes.join("\n")}`,
    ...(opening ? [openingOf(opening)] : []),
    ...(notes.length === 0 ? [] : [`About the step "${step ?? ""}":\n${notes.join("\n")}`]),
    ...(messages.length === 0 ? [] : [`The conversation of the step "${step ?? ""}":`, ...messages.flatMap(messageLines)]),
  ].join("\n\n")
}

const scoredLow = ({ scorer, score, level, reason, below }: RepairedScore): string =>
  [
    `succeeded, but the scorer "${scorer}" gave it ${score}, where a score below ${below} is low.`,
    ...(level === undefined ? [] : [`Its level: ${level}`]),
    ...(reason === undefined ? [] : [`The reason: ${reason}`]),
  ].join("\n")

function openingOf({ step, stepType, pass, agent, model, tools, body, values, inputs }: NonNullable<Told["opening"]>): string {
  const given = values ?? inputs
  return [
    `The step "${step}" (${stepType}), pass ${pass}${agent === undefined ? "" : `, agent "${agent}"`}${model === undefined ? "" : `, model ${model}`}.`,
    ...(agent === undefined ? [] : [`Tools that it was granted: ${tools.join(", ") || "none"}.`]),
    ...(given === undefined ? [] : [`Its inputs: ${startOf(JSON.stringify(given), SHOWN_MESSAGE)}`]),
    ...(body === undefined ? [] : [`Its prompt, as it was sent:\n${startOf(body, SHOWN_MESSAGE)}`]),
  ].join("\n")
}

function messageLines(message: StepMessage): string[] {
  switch (message.role) {
    case "system":
      return []
    case "user":
      return [`[${message.kind}] ${startOf(message.text, SHOWN_MESSAGE)}`]
    case "assistant": {
      const calls = message.toolCalls.map(({ name, args }) => `call ${name} ${startOf(JSON.stringify(args), SHOWN_MESSAGE)}`)
      return [[`[turn ${message.turn}] ${startOf(message.text, SHOWN_MESSAGE)}`, ...calls].join("\n")]
    }
    case "tool": {
      const text = message.content.map((part) => (part.type === "text" ? part.text : `(${part.type})`)).join("\n")
      const verdict = message.refused === undefined ? (message.isError ? "error" : "result") : `refused (${message.refused})`
      return [`[${message.tool}: ${verdict}] ${startOf(text, SHOWN_MESSAGE)}`]
    }
  }
}

const startOf = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most)} [${text.length - most} characters left out]`

/** The beginning says what was asked for, the end how it failed. */
function middleCut(text: string, most: number): string {
  if (text.length <= most) return text
  const half = Math.floor(most / 2)
  return `${text.slice(0, half)}\n[${text.length - 2 * half} characters left out]\n${text.slice(-half)}`
}
