// Random runs with everything that a history can have: maps, child runs, handlers, waits for a time and for a signal, approvals, budgets that
// ask, and conversations that are compacted, besides what generate.ts draws. Answers depend on the action's key and the seed alone, like
// those of world.ts, so a fork meets the same world as its source.

import fc from "fast-check"
import { DEFAULT_POLICY, type Rules } from "../../../src/core/tool/policy/policy.ts"
import type { Flow, Step } from "../../../src/core/flow/flow.ts"
import { canonical, type Json, type JsonObject } from "../../../src/core/json.ts"
import type { Effect } from "../../../src/core/run/begin.ts"
import { admit } from "../../../src/core/run/admit.ts"
import type { Plan } from "../../../src/core/run/plan.ts"
import type { Answer, Signal } from "../../../src/core/run/signal.ts"
import { isOver, type Interaction } from "../../../src/core/run/state.ts"
import { flows } from "./generate.ts"
import { Shell, type StartOptions } from "./shell.ts"
import { diceOf, hash, personAnswers, worldAnswers, type World } from "./world.ts"

const KINDS = ["map", "flow-ref", "code", "tool", "wait", "signal", "agent", "agent"] as const
type Kind = (typeof KINDS)[number]

/** Plain agent steps of a random flow become other kinds of steps. */
export const richFlows = (maxSteps: number): fc.Arbitrary<Flow> =>
  fc.tuple(flows(maxSteps), fc.array(fc.constantFrom(...KINDS), { minLength: maxSteps, maxLength: maxSteps })).map(([flow, kinds]) => ({
    ...flow,
    config: { list: ["x", "y", "z"] },
    autonomous: false,
    steps: flow.steps.map((step, i) => (step.type === "agent" && step.session === undefined ? asKind(step, kinds[i] ?? "agent") : step)),
  }))

function asKind(step: Extract<Step, { type: "agent" }>, kind: Kind): Step {
  const { id, blockedBy, on_error, on_complete, retry } = step
  const base = {
    id,
    blockedBy,
    ...(on_error === undefined ? {} : { on_error }),
    ...(on_complete === undefined ? {} : { on_complete }),
    ...(retry === undefined ? {} : { retry }),
  }
  switch (kind) {
    case "map":
      return {
        ...base,
        type: "map",
        over: "${{config.list}}",
        do: "c",
        task: "${{item}}",
        inputs: {},
        max_concurrent: 2,
        tolerate: { count: 2 },
      }
    case "flow-ref":
      return { ...base, type: "flow-ref", flow: "c", inputs: {} }
    case "code":
      return { ...base, type: "code", inputs: {}, outputs: [] }
    case "tool":
      // Some need a person, and some may not be made again.
      return { ...base, type: "tool", tool: ["look", "put", "post"][hash(id) % 3] ?? "look", args: { n: 1 } }
    case "wait":
      return { ...base, type: "wait", for: "5s" }
    case "signal":
      return { ...base, type: "wait", signal: "go" }
    case "agent":
      return step
  }
}

/** `put` needs a person; the run may call so many tools before it asks. */
export const RULES: Rules = {
  policy: { ...DEFAULT_POLICY, hooks: { ...DEFAULT_POLICY.hooks, confirm: ["put"] } },
  scopes: [],
  version: 1,
}
export const BUDGET = { tool_calls: 4 }

/** Signals that stand at the door: what is under way is answered, what is asked is decided, what waits for a signal hears it. */
function nexts(shell: Shell, world: World): (() => Signal)[] {
  return [
    ...[...shell.flights.values()].map((effect) => () => answerTo(shell, effect, world)),
    ...children(shell).map((signal) => () => childEnds(signal, world)),
    ...shell.pending().map((i) => (): Signal => ({ type: "answer", id: i.id, body: decided(shell.plan, i, world), by: "ann" })),
    ...waiting(shell).map((step) => (): Signal => ({
      type: "signal",
      name: "go",
      payload: { to: step },
      by: "ann",
      id: `${step}/${shell.state(step).pass}/${shell.run.seq}`,
    })),
  ]
}

function answerTo(shell: Shell, effect: Effect, world: World): Signal {
  const roll = diceOf(`${world.seed}:${effect.key}:rich`)
  switch (effect.do) {
    case "start-child": {
      const { key, index } = effect
      return { type: "child.start", key, index, run: `run_${key}`, ...(roll() < 0.05 ? { fault: "no room" } : {}) }
    }
    case "run-code":
      return {
        type: "code.result",
        key: effect.key,
        result:
          roll() < 0.05
            ? { ok: false, source: "code_error", message: "it threw", logs: [] }
            : { ok: true, value: { n: Math.floor(roll() * 9) }, logs: roll() < 0.3 ? ["a line"] : [] },
      }
    case "make-calls": {
      const digests = Object.fromEntries(effect.calls.map((c) => [c.id, canonical([effect.key, c.id, c.name, c.args])]))
      return { type: "step.calls", key: effect.key, calls: effect.calls, at: shell.now, digests }
    }
    case "collect":
      return { type: "collected", key: effect.key, outputs: { list: [effect.key] }, files: [{ path: "map/x.jsonl", action: "created" }] }
    case "compact": {
      const upTo = shell.state(effect.step).session?.seqs.at(-1) ?? 0
      const done =
        roll() < 0.3
          ? { kind: "none" as const, why: "nothing to shorten" }
          : { kind: "summary" as const, upTo, bytes: 100, summary: `what was said before ${effect.key}`, usage: { input: 5, output: 5 } }
      return { type: "compacted", key: effect.key, step: effect.step, done }
    }
    case "call-model": {
      // Some requests are too long for their model, once.
      const s = shell.state(effect.step)
      if ((s.session?.turnFailures ?? 0) === 0 && s.session?.compact === undefined && roll() < 0.08)
        return {
          type: "model.failure",
          key: effect.key,
          at: shell.now,
          dice: 0.5,
          failure: { message: "too long", retryable: true, overflow: true },
        }
      const said = worldAnswers(shell, effect, world)
      if (said.type !== "model.reply") return said
      // [Q3] A call that has no digest cannot be approved.
      const digests = said.reply.toolCalls.map((c) => [c.id, canonical([effect.key, c.id, c.name, c.args])])
      return { ...said, at: shell.now, digests: Object.fromEntries(digests) as Record<string, string> }
    }
    case "carry-out":
      return { type: "effect.result", key: effect.key, result: { state: roll() < 0.8 ? "confirmed" : "uncertain" } }
    default:
      return worldAnswers(shell, effect, world)
  }
}

interface OpenChild {
  readonly step: string
  readonly pass: number
  readonly index: number
  readonly run: string
}

const children = (shell: Shell): OpenChild[] =>
  Object.entries(shell.run.steps).flatMap(([step, s]) =>
    s.status === "running" && s.children
      ? Object.entries(s.children.open).map(([index, run]) => ({ step, pass: s.pass, index: Number(index), run }))
      : [],
  )

function childEnds({ step, pass, index, run }: OpenChild, world: World): Signal {
  const roll = diceOf(`${world.seed}:${step}/${pass}/${index}:child`)
  const status = roll() < 0.12 ? "failed" : "succeeded"
  const summary = `${step}/${pass}/${index} ${status}`
  return {
    type: "child.end",
    step,
    pass,
    index,
    run,
    report: {
      status,
      summary,
      head: hash(summary).toString(16).padStart(64, "0"),
      files: [],
      outputs: { at: Math.floor(roll() * 100) },
      usage: { tokens: 3, usd: null, tool_calls: 1, steps: 1 },
    },
  }
}

const waiting = (shell: Shell): string[] =>
  shell.running().filter((id) => {
    const step = shell.plan.steps.get(id)
    return step?.type === "wait" && step.signal !== undefined
  })

function decided(plan: Plan, i: Interaction, world: World): Answer {
  const roll = diceOf(`${world.seed}:${i.step}:${i.pass}:${i.callId ?? ""}:decides`)
  if (i.kind === "effects") return { answer: { commit: roll() < 0.7 ? "all" : [] } }
  if (i.kind === "budget") return { answer: { raise: raised(i.payload) } }
  if (i.kind !== "approval.tool") return personAnswers(plan, i, world)
  const what = roll()
  if (what < 0.6) return { decision: "approve" }
  return what < 0.8 ? { decision: "edit", args: { n: 3 } } : { decision: "reject", feedback: "not now" }
}

/** So far that it is not asked about again. */
const raised = ({ limit }: JsonObject): JsonObject =>
  Object.fromEntries(Object.keys(isRecord(limit) ? limit : {}).map((unit) => [unit, 1_000_000]))
const isRecord = (value: Json | undefined): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value)

export interface RichLife extends StartOptions {
  readonly world: World
  /** Picks one of `n` possible next events; default: the first. */
  readonly order?: (n: number) => number
  readonly crash?: () => boolean
  readonly meddle?: (shell: Shell) => void
}

/** Plays a run to its end. Everything but a person's signal is told twice, and the second time refused [J3]. */
export function liveRich(plan: Plan, life: RichLife): Shell {
  const shell = new Shell(plan, life)
  while (!isOver(shell.run)) {
    // A call that is lost again and again is given up, and would then not answer as it did in another course.
    if (life.crash?.() === true && Object.values(shell.run.underway).every(({ attempt }) => attempt < 2)) shell.crash()
    life.meddle?.(shell)
    if (isOver(shell.run)) break
    if (shell.run.status === "paused") {
      shell.tell({ type: "resume", reason: "operator" })
      shell.tell({ type: "resume", reason: "parent" })
      continue
    }
    const possible = nexts(shell, life.world)
    const next = possible[life.order?.(possible.length) ?? 0]
    if (!next) {
      const due = shell.nextDue()
      if (due === undefined) throw new Error("[J5] nothing is under way, nobody is asked and nothing is due, but the run goes on")
      shell.pass(due)
      continue
    }
    const signal = next()
    const told = shell.tell(signal)
    if (!told.ok) throw new Error(`${JSON.stringify(signal)} was refused: ${JSON.stringify(told.error)}`)
    if (signal.type !== "signal" && admit(shell.run, signal).ok) throw new Error(`[J3] ${JSON.stringify(signal)} was taken twice`)
  }
  return shell
}
