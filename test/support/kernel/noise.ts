// Interference with a run: signals that fit nothing, and real interventions by people, timers and shells.

import type { Signal } from "../../../src/core/run/signal.ts"
import { decide } from "../../../src/core/run/decide.ts"
import { replyOf, type Shell } from "./shell.ts"
import { diceOf } from "./world.ts"

const NAMES = [
  "",
  "s0",
  "s9",
  "toString",
  "__proto__",
  "constructor",
  "i0",
  "i99",
  "s0/1",
  "s0/1/0/model",
  "timeout/s0/1",
  "retry/s0/2",
  "timeout",
]

/** Unexpected signals: garbage keys, the wrong kind for a key under way, answers that fit no question. */
export function garbage(shell: Shell, roll: () => number): Signal[] {
  const { run } = shell
  const free = NAMES.filter((name) => !Object.hasOwn(run.underway, name))
  const name = free[Math.floor(roll() * free.length)] ?? ""
  const reply = replyOf([{ name: "finish", args: { status: "complete", summary: "not mine" } }])
  const result = { isError: false, content: [], digest: "d" }
  const failure = { message: "none", retryable: true }
  const out: Signal[] = [
    { type: "model.reply", key: name, reply },
    { type: "tool.result", key: name, result },
    { type: "model.failure", key: name, failure, at: shell.now, dice: 0 },
    { type: "lost", key: name },
    { type: "answer", id: name, body: { answer: "x" }, by: "eve" },
    { type: "timer", key: name === "timeout" ? "timeout/none" : name, at: run.started },
  ]
  if (!run.plan.steps.has(name)) out.push({ type: "steer", step: name, id: "x", message: "hm", by: "eve" })
  for (const [key, u] of Object.entries(run.underway)) {
    if (u.kind === "model") out.push({ type: "tool.result", key, result }, { type: "tool.result", key: `${key}/tool/c0`, result })
    else out.push({ type: "model.reply", key, reply }, { type: "model.failure", key, failure, at: shell.now, dice: 0 })
    out.push({ type: "lost", key: `${key}x` })
  }
  for (const i of Object.values(run.interactions)) {
    out.push(
      { type: "answer", id: i.id, body: {}, by: "eve" },
      { type: "answer", id: i.id, body: { answer: { deep: [1] }, custom: "x" }, by: "eve" },
    )
    out.push({ type: "answer", id: i.id, body: { decision: "approve", args: {} }, by: "eve" })
    if (i.status !== "pending") out.push({ type: "answer", id: i.id, body: { answer: "x" }, by: "eve" })
  }
  for (const [id, s] of Object.entries(run.steps)) if (!s.session) out.push({ type: "steer", step: id, id: "x", message: "hm", by: "eve" })
  return out
}

/** People steer, pause and resume, time passes before anything is due, models reply with nonsense, and sometimes a person cancels. */
export function meddler(luck: number): (shell: Shell) => void {
  const roll = diceOf(`meddle:${luck}`)
  let steers = 0
  return (shell) => {
    pauses(shell, roll())
    const what = roll()
    if (what < 0.06 && steers < 6) {
      const running = shell.running()
      const step = running[Math.floor(roll() * running.length)]
      steers += 1
      if (step !== undefined) shell.steer(step)
    } else if (what < 0.12) {
      const [wake] = decide(shell.run).filter((a) => a.do === "wake")
      shell.pass(wake && roll() < 0.3 ? wake.at : shell.now + Math.floor(roll() * 2_000))
    } else if (what < 0.14) {
      const model = [...shell.flights.values()].find((e) => e.do === "call-model")
      if (model) shell.tell({ type: "model.reply", key: model.key, reply: replyOf(NONSENSE) })
    } else if (what < 0.145) shell.tell(roll() < 0.5 ? { type: "cancel", by: "ann" } : { type: "broken", message: "the shell gave up" })
  }
}

/** Sometimes a person pauses the run for a while. */
export function pauses(shell: Shell, what: number): void {
  const reason = what * 1_000 - Math.floor(what * 1_000) < 0.5 ? "operator" : "parent"
  if (shell.run.status === "paused" ? what < 0.2 : what > 0.97)
    shell.tell({ type: shell.run.status === "paused" ? "resume" : "pause", reason })
}

const NONSENSE = [
  { id: "a/b/tool/c0", name: "__proto__", args: '{"__proto__": {"x": 1}}' },
  { id: "", name: "", args: "" },
  { id: "", name: "finish", args: "[]" },
  { id: "toString", name: "constructor", args: "null" },
  { id: "finish", name: "finish", args: '{"status": "complete", "summary": {}, "branch": ["one"]}' },
  { id: "toString", name: "look", args: '{"n": 1e999}' },
]
