// [K18] A journal, read back into signals, goes through the kernel again and is the same journal. Every stand and shell of these tests
// checks this of its own journal (test/support/kernel/replayed.ts); here are the cases that are easy to read back wrongly.

import { describe, expect, test } from "vitest"
import { DEFAULT_RULES, type Rules } from "../../../src/core/tool/policy/policy.ts"
import { compile } from "../../../src/core/run/plan.ts"
import type { RunEvent } from "../../../src/core/run/event.ts"
import type { PlanShown } from "../../../src/core/run/signal.ts"
import { replaying } from "../../../src/engine/run/replay/replay.ts"
import type { Replayed } from "../../../src/ports/run.ts"
import { agent, done, flow, sha256, Stand } from "../../support/engine/stand.ts"
import { agent as agentStep, agentOf, flowOf, tool, TOOLS } from "../../support/kernel/builders.ts"
import { replay } from "../../support/kernel/replay.ts"
import { call, finish, replyOf, Shell } from "../../support/kernel/shell.ts"

/** All of a replay at once, and in how many pieces it came. */
function whole(stand: Stand, journal: readonly RunEvent[]): Replayed & { readonly pieces: number } {
  const read = (after: number, limit: number): readonly RunEvent[] => journal.slice(after, after + limit)
  const pieces = replaying([{ from: 1, plan: stand.plan }], read, journal.length, sha256)
  for (let n = 0; ; n++) {
    const piece = pieces.next()
    if (piece.done === true) return { ...piece.value, pieces: n }
  }
}

const line = flow("  - { id: a, type: agent, agent: a }\n  - { id: b, type: agent, agent: b, blockedBy: a }\n")

async function run(): Promise<Stand> {
  const stand = new Stand(line, [agent("a", "tools: write\n"), agent("b")])
  stand.start()
  await (await stand.next("a")).answer({ calls: [{ name: "write", args: { path: "x.txt", content: "1" } }] })
  await stand.settle()
  await (await stand.next("a")).answer(done("A"))
  await (await stand.next("b")).answer(done("B"))
  expect(stand.conductor.run.status).toBe("succeeded")
  return stand
}

describe("a replay", () => {
  test("[K18] is identical at every moment of a run, and comes in pieces", async () => {
    const stand = await run()
    const journal = stand.events()
    expect(whole(stand, journal)).toMatchObject({ events: journal.length, identical: true, pieces: 5 })
    expect(whole(stand, [])).toMatchObject({ events: 0, identical: true })
  })

  test("[K18] names the first event that today's kernel makes differently: what the journal has, and what comes in its place", async () => {
    const stand = await run()
    const journal = stand.events()
    const at = journal.findIndex((e) => e.type === "step.opened" && e.step === "b")
    const other = journal.map((e) => (e.type === "step.opened" && e.step === "b" ? { ...e, body: "another prompt" } : e))
    expect(whole(stand, other)).toMatchObject({
      events: journal.length,
      identical: false,
      first: { seq: at + 1, expected: { body: "another prompt" }, found: { type: "step.opened", step: "b" } },
    })
  })

  test("[K18] names what is refused, what is missing and what cannot be folded, and never throws", async () => {
    const stand = await run()
    const journal = stand.events()
    const replied = journal.findIndex((e) => e.type === "model.replied")
    const stale = journal.map((e, i) => (i === replied && e.type === "model.replied" ? { ...e, key: "a/9/9/model" } : e))
    expect(whole(stand, stale).first).toMatchObject({ seq: replied + 1, found: { refused: "stale", signal: "model.reply" } })
    const cut = journal.slice(0, replied + 1)
    expect(whole(stand, cut).first).toMatchObject({ seq: replied + 2, expected: null, found: { seq: replied + 2 } })
    const unknown = journal.map((e, i) => (i === replied ? ({ ...e, type: "from.tomorrow" } as unknown as RunEvent) : e))
    expect(whole(stand, unknown).first).toMatchObject({ seq: replied + 1, found: null })
    const nowhere = journal.map((e, i) => (i === replied ? ({ ...e, type: "tool.returned", step: "nowhere" } as unknown as RunEvent) : e))
    expect(whole(stand, nowhere).first).toMatchObject({ seq: replied + 1, found: { fault: expect.stringContaining("nowhere") } })
  })

  test("[K18] a child whose neighbor's outputs were too large keeps its own", async () => {
    const map = "  - { id: m, type: map, over: '${{config.list}}', do: child, max_concurrent: 2 }\n"
    const stand = new Stand(flow(map, "config: { list: [1, 2] }\n"), [])
    stand.start()
    await stand.settle()
    stand.childEnds("m", 0, { outputs: { n: 1 } })
    stand.childEnds("m", 1, { outputs: { long: "x".repeat(300_000) } })
    expect(stand.types()).toContain("warning")
  })

  test("[K18] a run that cannot start replays too", () => {
    const shell = new Shell(compile({ flow: flowOf([agentStep("a")]), agents: {}, skills: {}, tools: [] }), { atOnce: 0 })
    const [first] = shell.log
    if (first?.type !== "run.started") throw new Error("a journal begins with run.started")
    const { seq: _seq, at: _at, v: _v, prev: _prev, ...started } = first
    const failed = [
      { ...first, prev: "0".repeat(64) },
      { seq: 2, at: first.at, v: 1, prev: "1", type: "run.ended", status: "failed", error: { source: "config", message: "no such flow" } },
    ] as const
    const again = replay(shell.plan, failed, (text) => String((JSON.parse(text) as RunEvent).seq))
    expect(again.fault).toBeUndefined()
    expect(again.signals).toEqual([{ type: "start", started, cannot: { source: "config", message: "no such flow" } }])
  })
})

describe("a plan that nobody had to approve", () => {
  const execute = tool("executePlan", "write", {
    parameters: { type: "object", properties: { planId: { type: "string" } }, required: ["planId"], additionalProperties: false },
  })
  const plan = compile({
    flow: flowOf([agentStep("a")]),
    agents: { worker: agentOf("worker", { tools: { kind: "list", names: ["look", "executePlan"] } }) },
    skills: {},
    tools: [...TOOLS, execute],
  })
  const rules: Rules = {
    ...DEFAULT_RULES,
    policy: {
      ...DEFAULT_RULES.policy,
      approvals: { ...DEFAULT_RULES.policy.approvals, plans: { kind: "dynamic", value: "args.body.amount > 100" } },
    },
  }
  const shown: PlanShown = { plan: "pay", planId: "p1", state: "draft", body: { amount: 7 } }
  const replied = (body: PlanShown["body"]): Shell => {
    const shell = new Shell(plan, { rules })
    const reply = replyOf([call("executePlan", { planId: "p1" }, "x")])
    shell.tell({
      type: "model.reply",
      key: shell.flying("a", "/model"),
      reply,
      at: shell.now,
      digests: { x: "d" },
      plans: { x: { ...shown, body } },
    })
    return shell
  }

  test("[K18] [T41] is journaled with the reply, because its judgment depends on it", () => {
    const [reply] = replied({ amount: 7 }).events("model.replied")
    expect(reply?.plans).toEqual({ x: { plan: "pay", body: { amount: 7 } } })
  })

  test("[K18] [T41] a plan that a person is shown is not journaled twice", () => {
    const shell = replied({ amount: 700 })
    expect(shell.events("interaction.asked")).toHaveLength(1)
    expect(shell.events("model.replied")[0]).not.toHaveProperty("plans")
  })

  test("[K18] [Q1] a call that would ask one question too many is refused again for that reason", () => {
    const asking: Rules = {
      ...DEFAULT_RULES,
      policy: { ...DEFAULT_RULES.policy, hooks: { ...DEFAULT_RULES.policy.hooks, confirm: ["look"] } },
    }
    const shell = new Shell(plan, { rules: asking })
    shell.reply("a", ...Array.from({ length: 22 }, (_, i) => call("look", { n: i }, `c${i}`)))
    expect(shell.events("tool.refused").map((e) => e.code)).toEqual(["too_many", "too_many"])
    for (const { id } of shell.pending()) shell.answer(id, { decision: "reject" })
    shell.reply("a", finish())
    expect(shell.run.status).toBe("succeeded")
  })
})
