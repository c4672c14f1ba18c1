// Makes a case from an ended run [K22]: its input, the replies of its models, the answers of people, and the results of calls that left the
// run. Calls on the workspace are made again, so their results are not kept. A pure function of the journals of the run and its children.

import { defined } from "../defined.ts"
import type { Json, JsonObject } from "../json.ts"
import type { ContentPart } from "../run/event-parts.ts"
import type { EventOf, RunEvent } from "../run/event.ts"
import { MODEL_TRIES } from "../run/session/retry.ts"
import type { ScriptedCall, ScriptedResult, RehearsedTurn } from "./rehearsal.ts"
import { childAt, written } from "./play.ts"
import type { CaseAnswer } from "./test-case.ts"

/** A run with its child runs. */
export interface RecordedRun {
  readonly flow: string
  readonly events: readonly RunEvent[]
  /** By the id of the run. */
  readonly children: ReadonlyMap<string, RecordedRun>
}

/** Tools that work on the run's own files: they are called again. */
const WORKSPACE: ReadonlySet<string> = new Set(
  "read write edit ls find glob grep diff bash skill_read file.read file.write file.edit file.list shell.exec".split(" "),
)
const FINISHES: ReadonlySet<string> = new Set(["finish", "subagent_finalize"])

export interface Recorded {
  readonly rehearsal: ReadonlyMap<string, readonly RehearsedTurn[]>
  readonly answers: readonly CaseAnswer[]
}

export function recordedOf(root: RecordedRun): Recorded {
  const rehearsal = new Map<string, readonly RehearsedTurn[]>(turnsByStep(root.events))
  const byFlow = new Map<string, { path: string; turns: [string, readonly RehearsedTurn[]][] }[]>()
  const answers: Said[] = answersIn(root, (step) => step)
  visit(root, "", (run, path) => {
    byFlow.set(run.flow, [...(byFlow.get(run.flow) ?? []), { path, turns: [...turnsByStep(run.events)] }])
    answers.push(...answersIn(run, (step) => `${run.flow}/${step}`))
  })
  for (const [flow, runs] of byFlow) {
    // Children that all did the same are told once.
    const isSame = new Set(runs.map(({ turns }) => JSON.stringify(turns))).size === 1
    for (const { path, turns } of isSame ? runs.slice(0, 1) : runs)
      for (const [step, played] of turns) rehearsal.set(`${isSame ? flow : path}/${step}`, played)
  }
  const ordered = answers.sort((a, b) => a.at - b.at)
  return { rehearsal, answers: ordered.map(({ step, body }) => (ordered.length === 1 ? { body } : { step, body })) }
}

export const rehearsalText = (rehearsal: Recorded["rehearsal"]): JsonObject =>
  Object.fromEntries([...rehearsal].map(([step, turns]) => [step, turns.map(written)]))

function visit({ events, children }: RecordedRun, above: string, each: (run: RecordedRun, path: string) => void): void {
  for (const e of events) {
    const child = e.type === "child.started" ? children.get(e.run) : undefined
    if (e.type !== "child.started" || !child) continue
    const path = `${above}${childAt(e.step, e.pass, e.index).replace("#1[", "[")}`
    each(child, path)
    visit(child, `${path}/`, each)
  }
}

/** The turns of each step, a group for each pass. */
function turnsByStep(events: readonly RunEvent[]): Map<string, RehearsedTurn[]> {
  const results = resultsIn(events)
  const sessions = new Map<string, Session>()
  const opened = new Map<string, EventOf<"step.opened">>()
  /** [R40] Steps that take the result of another run. */
  const taken = new Set<string>()
  const sessionOf = (step: string): Session => {
    const known = sessions.get(step) ?? { turns: [], failures: 0, pass: 0 }
    sessions.set(step, known)
    return known
  }
  for (const e of events) {
    if (e.type === "model.failed" && e.overflow !== true) {
      const session = sessionOf(e.step)
      session.failures += 1
      session.turns.push(failureOf(e))
    }
    if (e.type === "model.replied") {
      const session = sessionOf(e.step)
      // Another model took over after these: the rehearsal is the only model of its run, so it may not use up its tries.
      if (session.failures >= MODEL_TRIES) session.turns.splice(-(session.failures - MODEL_TRIES + 1))
      session.failures = 0
      session.turns.push(turnOf(e, results.get(e.seq) ?? new Map()))
    }
    // [F26] The calls that a step makes itself stand as those of a turn.
    if (e.type === "step.called") sessionOf(e.step).turns.push(turnOf({ ...e, text: "" }, results.get(e.seq) ?? new Map()))
    if (e.type === "step.opened") opened.set(e.step, e)
    if (e.type === "step.cached") taken.add(e.step)
    if (e.type === "step.finished" && taken.delete(e.step) && opened.get(e.step)?.agent !== undefined)
      sessionOf(e.step).turns.push(finishTurn(e, opened.get(e.step)?.tools ?? []))
    if (e.type === "step.opened" && sessions.has(e.step) && e.pass > sessionOf(e.step).pass) closed(sessionOf(e.step))
    if (e.type === "step.opened") sessionOf(e.step).pass = e.pass
  }
  const all = new Map<string, RehearsedTurn[]>()
  for (const [step, session] of sessions) {
    closed(session)
    if (session.turns.length > 0)
      all.set(
        step,
        session.turns.map(({ mark: _mark, ...turn }) => turn),
      )
  }
  return all
}

interface Session {
  readonly turns: (RehearsedTurn & { mark?: true })[]
  failures: number
  pass: number
}

/** The pass is over: its last turn ends the group, and no turn before it does. */
function closed(session: Session): void {
  session.failures = 0
  const { turns } = session
  const last = turns.at(-1)
  if (!last || last.mark) return
  const start = turns.findLastIndex((turn) => turn.mark) + 1
  for (let i = start; i < turns.length - 1; i++) turns[i] = withoutFinish(turns[i] ?? {})
  turns[turns.length - 1] = { ...last, ...(last.finish ? {} : { last: true }), mark: true }
}

/** A finish that did not end its pass is a call like any other. */
function withoutFinish({ finish, calls = [], ...turn }: RehearsedTurn): RehearsedTurn {
  const all = finish === undefined ? calls : [...calls, { tool: "finish", args: finish }]
  return all.length === 0 ? turn : { ...turn, calls: all }
}

const failureOf = ({ status, message }: EventOf<"model.failed">): RehearsedTurn => ({
  error: { ...(status === undefined || status < 400 || status > 599 ? {} : { status }), message },
})

function turnOf(
  { text, toolCalls }: Pick<EventOf<"model.replied">, "text" | "toolCalls">,
  results: ReadonlyMap<string, ScriptedResult>,
): RehearsedTurn {
  const last = toolCalls.at(-1)
  const finish = last?.name === "finish" && last.raw === undefined ? last.args : undefined
  const calls = (finish ? toolCalls.slice(0, -1) : toolCalls).map(({ id, name, args, raw }): ScriptedCall => {
    const result = results.get(id)
    // Arguments that could not be read are refused again.
    return { tool: name, args, ...defined({ raw, result }) }
  })
  return { ...(text !== "" || toolCalls.length === 0 ? { text } : {}), ...(calls.length > 0 ? { calls } : {}), ...defined({ finish }) }
}

/** [R40] A result that was taken from another run, as its agent would hand it over. */
function finishTurn({ summary, artifacts, outputs, branch, branches }: EventOf<"step.finished">, tools: readonly string[]): RehearsedTurn {
  const chosen = defined({ branch: branches ?? branch })
  if (tools.includes("subagent_finalize"))
    return { calls: [{ tool: "subagent_finalize", args: { ...outputs, status: "SUCCESS", result: summary, ...chosen } }] }
  return { finish: { ...outputs, status: "complete", summary, ...defined({ artifacts }), ...chosen } }
}

/** By the seq of the reply, then by call: ids are unique only within one reply. */
function resultsIn(events: readonly RunEvent[]): Map<number, Map<string, ScriptedResult>> {
  const all = new Map<number, Map<string, ScriptedResult>>()
  const current = new Map<string, Map<string, ScriptedResult>>()
  for (const e of events) {
    if (e.type === "model.replied" || e.type === "step.called") {
      const own = new Map<string, ScriptedResult>()
      current.set(e.step, own)
      all.set(e.seq, own)
    }
    if (e.type === "tool.uncertain") current.get(e.step)?.set(e.callId, { text: "What the call did is not known.", isError: true })
    if (e.type !== "tool.returned" || WORKSPACE.has(e.tool) || FINISHES.has(e.tool) || e.tool === "ask_user") continue
    const marks = { ...(e.tainted ? { untrusted: true as const } : {}), ...(e.private ? { private: true as const } : {}) }
    current.get(e.step)?.set(e.callId, { text: textOf(e.content), isError: e.isError, ...marks })
  }
  return all
}

const OUTSIDE = /^<untrusted id="([0-9a-f]+)" source="[^"]*">\n([^]*)\n<\/untrusted id="\1">$/

/** Without the delimiters of text from outside: a run puts its own around it. */
const textOf = (content: readonly ContentPart[]): string =>
  content.map((part) => (part.type === "image" ? `[${part.mimeType}]` : (OUTSIDE.exec(part.text)?.[2] ?? part.text))).join("\n")

interface Said {
  readonly step: string
  readonly body: JsonObject
  readonly at: number
}

/** What people said, and what stood in for them when nobody did. */
function answersIn({ events }: RecordedRun, placeOf: (step: string) => string): Said[] {
  const asked = new Map<string, EventOf<"interaction.asked">>()
  const said: Said[] = []
  for (const e of events) {
    if (e.type === "interaction.asked" && e.kind !== "effects") asked.set(e.id, e)
    if (e.type !== "interaction.answered" && e.type !== "interaction.expired") continue
    const question = asked.get(e.id)
    if (!question) continue
    const body = e.type === "interaction.answered" ? bodyOf(e) : question.kind.startsWith("approval") ? { decision: "reject" } : undefined
    if (body) said.push({ step: placeOf(question.step), body, at: question.at })
  }
  return said
}

function bodyOf(e: EventOf<"interaction.answered">): JsonObject {
  const body: Record<string, Json | undefined> = {
    answer: e.answer,
    notes: e.notes,
    custom: e.custom,
    auto: e.auto,
    cancelled: e.cancelled,
    decision: e.decision,
    args: e.args,
    feedback: e.feedback,
  }
  return Object.fromEntries(Object.entries(body).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
}
