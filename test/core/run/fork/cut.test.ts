// Where a run can be forked [K6, K8], and what a fork begins with [K10, K11], in small runs whose every event is known.

import { describe, expect, test } from "vitest"
import { DEFAULT_POLICY, type Policy, type Rules } from "../../../../src/core/tool/policy/policy.ts"
import type { RunEvent } from "../../../../src/core/run/event.ts"
import { CutFinder, type From } from "../../../../src/core/run/fork/cut.ts"
import { agent, flowOf, planOf } from "../../../support/kernel/builders.ts"
import { call, finish, Shell, type StartOptions } from "../../../support/kernel/shell.ts"

const plan = planOf(flowOf([agent("a"), agent("b", { blockedBy: ["a"] })]))
const rulesOf = (policy: Partial<Policy>, version = 0): Rules => ({ policy: { ...DEFAULT_POLICY, ...policy }, scopes: [], version })
const find = ({ log, cuts }: Pick<Shell, "log" | "cuts">, from: From) => {
  const finder = new CutFinder()
  for (const e of log) finder.take(e)
  return finder.find(from, cuts)
}
const cutOf = (shell: Shell, from: From): number => {
  const cut = find(shell, from)
  if (!cut.ok) throw new Error(JSON.stringify(cut.why))
  return cut.seq
}
/** The event after this cut. */
const next = (shell: Shell, from: From): RunEvent | undefined => shell.log[cutOf(shell, from)]

function forkAt(source: Shell, cut: number, rules?: Rules): Shell {
  const prefix = source.log.slice(0, cut)
  const at = prefix.at(-1)?.at ?? 0
  const from = { run: "run_1", seq: cut, head: String(cut), at }
  const forked = { type: "run.forked", run: "run_2", source: from, by: "ann", effects: "live" } as const
  return new Shell(source.plan, { fork: { prefix, signal: { type: "fork", at: at + 100_000, forked, ...(rules ? { rules } : {}) } } })
}

const ended = (options: StartOptions = {}): Shell => {
  const shell = new Shell(plan, options)
  shell.reply("a", call("look"), call("ghost"))
  shell.returns("a", "c0")
  shell.reply("a", finish())
  shell.reply("b", finish())
  expect(shell.run.status).toBe("succeeded")
  return shell
}

describe("a cut", () => {
  test("[K8] never lies between a reply and its verdicts: the nearest ones are named", () => {
    const shell = ended()
    const { seq = 0 } = shell.events("tool.refused")[0] ?? {}
    expect([shell.log[seq - 2]?.type, find(shell, { seq })]).toEqual(["model.replied", { ok: true, seq }])
    expect(find(shell, { seq: seq - 1 })).toEqual({ ok: false, why: { before: seq - 2, after: seq } })
  })

  test("[K8] of a step is before it opened, and of a turn before its model was asked", () => {
    const shell = ended()
    expect(next(shell, { step: "b" })).toMatchObject({ type: "step.opened", step: "b" })
    expect(next(shell, { step: "b", turn: 0 })).toMatchObject({ type: "action.begun", key: "b/1/0/model" })
    expect(next(shell, { step: "a", pass: 1, turn: 1 })).toMatchObject({ type: "action.begun", key: "a/1/1/model" })
    expect(find(shell, { step: "a", turn: 2 })).toEqual({ ok: false, why: { there: [0, 1], what: "turn", pass: 1 } })
  })
})

describe("a fork", () => {
  test("[K11] counts its usage from the cut, and tells what came before", () => {
    const source = ended()
    const fork = forkAt(source, cutOf(source, { step: "b" }))
    expect(fork.run.usage).toEqual({ input: 0, output: 0, children: 0, usd: null, tool_calls: 0, steps: 1 })
    expect(fork.run.inherited).toEqual({ tokens: 30, usd: null, tool_calls: 1, steps: 1 })
    fork.reply("b", finish())
    expect([fork.run.status, fork.run.usage.input, fork.run.usage.steps]).toEqual(["succeeded", 10, 1])
  })

  test("[K10] judges a call that has not begun by the rules of now", () => {
    const source = new Shell(plan, { rules: rulesOf({}) })
    source.reply("a", call("post", { n: 1 }), call("post", { n: 2 }))
    const { seq } = source.run
    expect(source.keys()).toEqual(["a/1/0/tool/c0"])
    const strict = forkAt(source, seq, rulesOf({ denylist: [{ tool: "post", reason: "no posts any more" }] }, 3))
    expect(strict.events("tool.refused").map((e) => [e.callId, e.code])).toEqual([["c1", "denylist"]])
    expect([strict.events("tool.uncertain").map((e) => e.callId), strict.keys()]).toEqual([["c0"], ["a/1/1/model"]])
  })

  test("[K10] an effect that was under way at the cut is told as uncertain, and a read is made again", () => {
    for (const [name, then] of [
      ["post", ["a/1/1/model"]],
      ["look", ["a/1/0/tool/c0"]],
    ] as const) {
      const source = new Shell(plan)
      source.reply("a", call(name))
      const fork = forkAt(source, source.run.seq)
      expect([name, fork.keys(), fork.events("tool.uncertain").length]).toEqual([name, then, name === "post" ? 1 : 0])
    }
  })
})

test("[F77] a fork with definitions that nobody accepted is tainted and private from its first turn, and stays so in a fork of it", () => {
  const source = new Shell(plan)
  source.reply("a", call("look"))
  const forked = (shell: Shell, run: string, mark: object) => {
    const { seq, at } = shell.run
    const event = {
      type: "run.forked",
      run,
      source: { run: shell.run.id, seq, head: "h", at },
      by: "ann",
      effects: "live",
      ...mark,
    } as const
    return new Shell(plan, { fork: { prefix: shell.log, signal: { type: "fork", at: at + 1, forked: event } } })
  }
  const fork = forked(source, "run_2", { unaccepted: true })
  const again = forked(fork, "run_3", {})
  for (const { run } of [fork, again])
    expect([run.unaccepted, run.tainted, run.private, run.steps["a"]?.session]).toMatchObject([
      true,
      true,
      true,
      { tainted: true, private: true },
    ])
  again.returns("a", "c0")
  again.reply("a", call("post"))
  // Kept, whatever it was begun as: nothing begins.
  expect(again.events("tool.returned").at(-1)).toMatchObject({ tool: "post", staged: true })
  expect(again.pending()).toEqual([])
  expect(forked(source, "run_4", {}).run.unaccepted).toBeUndefined()
})
