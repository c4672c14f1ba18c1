// A world for random runs, and the driver that plays a run in it.
//
// The world's answers depend only on the action's key, a seed, and how often this turn failed before, so any two schedules of
// the same run meet the same world: every difference comes from the kernel.

import { canonical, type JsonObject } from "../../../src/core/json.ts"
import type { Effect } from "../../../src/core/run/begin.ts"
import { isOver, type Interaction } from "../../../src/core/run/state.ts"
import { labelsOf, targetOf } from "../../../src/core/flow/flow.ts"
import { isBackward, type Plan } from "../../../src/core/run/plan.ts"
import type { Verdict } from "../../../src/core/run/said/score.ts"
import type { Answer, Signal } from "../../../src/core/run/signal.ts"
import { admit } from "../../../src/core/run/admit.ts"
import type { SessionGrant } from "../../../src/core/run/session/sticky.ts"
import { finalize } from "../../../src/models/rehearsed/turns.ts"
import { call, replyOf, Shell, type Call, type StartOptions } from "./shell.ts"

export interface World {
  readonly seed: number
  /** May agents use `post`, whose lost calls are not repeated? */
  readonly post: boolean
  /** Does `put` write a file? */
  readonly files?: boolean
}

export function hash(text: string): number {
  let h = 2166136261
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 16777619)
  return h >>> 0
}

/** Numbers in [0, 1) that depend only on the text. */
export function diceOf(text: string): () => number {
  let state = hash(text)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

const pick = <T>(roll: () => number, from: readonly T[]): T => {
  const one = from[Math.floor(roll() * from.length)]
  if (one === undefined) throw new Error("nothing to pick from")
  return one
}

export function worldAnswers(shell: Shell, effect: Effect, world: World): Signal {
  switch (effect.do) {
    case "call-model":
      return modelAnswers(shell, effect, world)
    case "run-tool":
      return toolAnswers(effect, world)
    case "open-session":
      return { type: "session.open", key: effect.key, grant: grantOf(diceOf(`${world.seed}:${effect.key}`)) }
    case "look-up":
      return lookAnswers(shell, effect, world)
    case "score":
      return { type: "judged", key: effect.key, verdict: verdictOf(diceOf(`${world.seed}:${effect.key}`)) }
    case "put-back":
      return { type: "put-back", key: effect.key, changed: [{ path: "a", hash: `put back to ${effect.to}`, size: 1 }] }
    case "start-child":
      return { type: "child.start", key: effect.key, index: effect.index, run: `run_${effect.key}` }
    default:
      throw new Error(`this world has no answer to ${effect.do}`)
  }
}

/** [V23] Three in ten are good enough for everyone, and few scorers say nothing. */
function verdictOf(roll: () => number): Verdict {
  const luck = roll()
  if (luck < 0.03) return { score: null }
  if (luck < 0.05) return { score: null, error: "it threw" }
  return { score: luck > 0.7 ? 1 : pick(roll, [0, 0.25, 0.5, 0.5]), ...(roll() < 0.5 ? { reason: "so it seems" } : {}) }
}

/** A judge's run says the same as a handler would, by its levels. */
function judgesEnd(shell: Shell, { seed }: World): Signal[] {
  return Object.entries(shell.run.steps).flatMap(([step, { pass, children }]) =>
    Object.entries(children?.open ?? {}).map(([index, run]): Signal => {
      const { score } = verdictOf(diceOf(`${seed}:${run}`))
      const status = score === null ? "failed" : "succeeded"
      const level = score === 1 ? "right" : (score ?? 0) > 0.3 ? "half" : "wrong"
      const report = { status, summary: "judged", outputs: { level, reason: "by its level" }, files: [] } as const
      return { type: "child.end", step, pass, index: Number(index), run, report }
    }),
  )
}

/** [R38] Half of the passes find the result of another run. */
function lookAnswers(shell: Shell, { key, step: id }: Extract<Effect, { do: "look-up" }>, world: World): Signal {
  const roll = diceOf(`${world.seed}:${key}`)
  if (roll() < 0.5) return { type: "looked-up", key, digest: key }
  const step = shell.plan.steps.get(id)
  const labels = step ? labelsOf(step) : undefined
  const finish = { summary: `${id} of another run`, outputs: {}, ...(labels === undefined ? {} : { branch: pick(roll, labels) }) }
  const marks = roll() < 0.3 ? ({ tainted: true } as const) : {}
  return { type: "looked-up", key, digest: key, found: { run: "run_other", asked: 1, finish, marks } }
}

/** Most sessions are available; some were used before, some belong to another step. */
function grantOf(roll: () => number): SessionGrant {
  if (roll() < 0.1) return { ok: false, fault: "the session is busy" }
  const used = roll() < 0.5
  return { ok: true, chunks: used ? ["c1"] : [], bytes: used ? 100 : 0, tainted: false, private: false }
}

function toolAnswers({ key, call: { name }, args }: Extract<Effect, { do: "run-tool" }>, world: World): Signal {
  const roll = diceOf(`${world.seed}:${key}`)
  // `look` often returns the same result again [G9]; other tools return a new one for each call.
  const text = name === "look" && hash(`${world.seed}${canonical(args)}`) % 3 > 0 ? "the same" : key
  return {
    type: "tool.result",
    key,
    result: {
      isError: roll() < 0.1,
      content: [{ type: "text", text }],
      digest: canonical([name, args, text]),
      ...(world.files && name === "put" ? { changed: [{ path: "a", hash: key, size: 1 }] } : {}),
    },
  }
}

function modelAnswers(shell: Shell, { key, step: id }: Extract<Effect, { do: "call-model" }>, world: World): Signal {
  const s = shell.state(id)
  const failures = s.session?.turnFailures ?? 0
  const trouble = diceOf(`${world.seed}:${key}:trouble`)()
  const dice = diceOf(`${world.seed}:${key}:${failures}`)
  const most = trouble < 0.003 ? 9 : trouble < 0.02 ? 2 : trouble < 0.06 ? 1 : 0
  if (failures < most || trouble > 0.997)
    return {
      type: "model.failure",
      key,
      at: shell.now,
      dice: 0.1 + dice() * 0.8,
      failure: { message: "trouble", retryable: trouble <= 0.997, ...(dice() < 0.3 ? { retryAfter: 2_000 } : {}) },
    }
  return { type: "model.reply", key, reply: replyOf(said(shell, id, s.pass, s.session?.turn ?? 0, world, dice)) }
}

/** An agent's reply in a turn: by its mood for the pass, then by chance. */
function said(shell: Shell, id: string, pass: number, turn: number, world: World, roll: () => number): (Call | string)[] {
  const mood = diceOf(`${world.seed}:${id}:${pass}:mood`)()
  if (mood < 0.012) return ["I only talk."]
  if (mood < 0.024) return [call("finish", { summary: "and no status" })]
  if (mood < 0.07) return Array.from({ length: 1 + Math.floor(roll() * 6) }, () => call("look", { n: roll() < 0.8 ? 1 : 2 }))
  const out: (Call | string)[] = roll() < 0.3 ? [`text of ${id}/${pass}/${turn}`] : []
  if (turn < 3 && roll() < 0.1) return ["Let me think."]
  const ends = turn >= 3 || roll() < 0.5
  const before = Math.floor(roll() * (ends ? 3 : 4)) + (ends ? 0 : 1)
  for (let i = 0; i < before; i++) out.push(anyTool(world, roll))
  if (!ends) return out
  out.push(anyFinish(shell, id, pass, roll))
  if (roll() < 0.2) out.push(anyTool(world, roll))
  if (roll() < 0.1) out.push(anyFinish(shell, id, pass, roll))
  return out
}

function anyTool(world: World, roll: () => number): Call {
  const name = pick(roll, ["look", "look", "look", "put", "put", world.post ? "post" : "put", "ghost", "phantom", "build", "ask_user"])
  const id = roll() < 0.1 ? "same" : undefined
  if (name === "ask_user")
    return call(name, { question: "Well?", type: pick(roll, ["input", "confirm", "select"]), options: ["x", "y"] }, id)
  const args = pick<JsonObject | string>(roll, [{ n: 1 }, { n: 2 }, { n: 3 }, { n: "4" }, { n: 1 }, { n: "x" }, {}, "not json"])
  return call(name, args, id)
}

function anyFinish(shell: Shell, id: string, pass: number, roll: () => number): Call {
  const step = shell.plan.steps.get(id)
  const labels = step ? labelsOf(step) : undefined
  const status = roll() < 0.05 ? (roll() < 0.6 ? "error" : "blocked") : "complete"
  const broken = roll()
  const words = (args: JsonObject): Call =>
    step && "agent" in step && step.agent === "closer" ? call("subagent_finalize", finalize(args)) : call("finish", args)
  return words({
    status,
    ...(broken < 0.04 ? {} : { summary: `${id}/${pass}: ${Math.floor(roll() * 1_000)}` }),
    ...(broken > 0.96 ? { surprise: true } : {}),
    ...(roll() < 0.5 ? { artifacts: "stored" } : {}),
    ...(step && "agent" in step && step.agent === "strict" ? { score: pick<string | number>(roll, [1, 2, "3", "no number"]) } : {}),
    ...(labels === undefined ? {} : { branch: roll() < 0.07 ? "nowhere" : pick(roll, labels) }),
  })
}

/** A person's answer depends on the question, not on its number: numbers depend on the order in which siblings asked. */
export function personAnswers(plan: Plan, i: Interaction, world: World): Answer {
  const roll = diceOf(`${world.seed}:${i.step}:${i.pass}:${i.callId ?? ""}:person`)
  const step = plan.steps.get(i.step)
  if (i.kind === "fork" && step?.type === "fork") {
    if (step.agent !== undefined && roll() < 0.3) return { auto: true }
    // A person may go back any number of times; this one stops after a while.
    const open = step.branches.map((b) => b.label).filter((label) => i.pass <= 2 || !isBackward(plan, step.id, targetOf(step, label) ?? ""))
    return roll() < 0.03 || open.length === 0
      ? { cancelled: true }
      : { answer: pick(roll, open), ...(roll() < 0.5 ? { notes: "mind the gap" } : {}) }
  }
  if (roll() < 0.1) return roll() < 0.5 ? { cancelled: true } : { auto: true }
  if (i.payload["type"] === "confirm") return { answer: roll() < 0.5 }
  return { answer: i.payload["type"] === "select" ? pick(roll, ["x", "y"]) : "because" }
}

export interface Life extends StartOptions {
  readonly world: World
  /** Picks one of `n` possible next events; default: the first. */
  readonly order?: (n: number) => number
  /** Does the process crash now? */
  readonly crash?: () => boolean
  /** Interference with the run, before each action of the world. */
  readonly meddle?: (shell: Shell) => void
  readonly watch?: (shell: Shell) => void
}

/** Plays a run to its end. The world sends everything twice: the second signal must be refused [J3]. */
export function live(plan: Plan, life: Life): Shell {
  const shell = new Shell(plan, life)
  life.watch?.(shell)
  while (!isOver(shell.run)) {
    if (life.crash?.() === true) shell.crash()
    life.meddle?.(shell)
    if (isOver(shell.run)) break
    const possible: (() => Signal)[] = [
      ...[...shell.flights.values()].map((effect) => () => worldAnswers(shell, effect, life.world)),
      ...judgesEnd(shell, life.world).map((end) => () => end),
      ...shell.pending().map((i) => (): Signal => ({ type: "answer", id: i.id, body: personAnswers(plan, i, life.world), by: "ann" })),
    ]
    const next = possible[life.order?.(possible.length) ?? 0]
    if (next) twice(shell, next())
    else {
      const due = shell.nextDue()
      // Nothing is under way or asked: a paused run must be resumed.
      if (shell.run.status === "paused") {
        shell.tell({ type: "resume", reason: "operator" })
        continue
      }
      if (due === undefined) throw new Error("[J5] nothing is under way, nobody is asked and nothing is due, but the run goes on")
      shell.pass(due)
    }
  }
  return shell
}

function twice(shell: Shell, signal: Signal): void {
  const first = shell.tell(signal)
  if (!first.ok) throw new Error(`${JSON.stringify(signal)} was refused: ${JSON.stringify(first.error)}`)
  const again = admit(shell.run, signal)
  if (again.ok) throw new Error(`[J3] ${JSON.stringify(signal)} was taken twice`)
}

export interface Outcome {
  readonly status: string
  readonly steps?: Readonly<Record<string, readonly unknown[]>>
}

/** The result that must not depend on crashes and schedules. For a failed run only the failure counts: a sibling may fail first. */
export function outcomeOf(shell: Shell): Outcome {
  const { status, steps } = shell.run
  if (status !== "succeeded") return { status }
  return {
    status,
    steps: Object.fromEntries(
      Object.entries(steps).map(([id, s]) => [id, [s.status, s.pass, s.result?.summary, s.result?.branch, s.result?.outputs]]),
    ),
  }
}
