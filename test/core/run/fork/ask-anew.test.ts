// [K9, S9] An approval is for one call of one run: at every cut between the answer and the call's result, a fork that would make the call asks
// again. What a person said of anything else stays said.

import { describe, expect, test } from "vitest"
import { DEFAULT_POLICY, type Policy, type Rules } from "../../../../src/core/tool/policy/policy.ts"
import { EXECUTE_PLAN } from "../../../../src/core/tool/toolkits.ts"
import { CutFinder } from "../../../../src/core/run/fork/cut.ts"
import { Ledger } from "../../../../src/core/run/effects/ledger.ts"
import { answersFor } from "../../../../src/core/run/session/ask/elicited.ts"
import type { FactOf } from "../../../../src/core/run/event.ts"
import type { ForkSignal } from "../../../../src/core/run/signal.ts"
import { agent, agentOf, DECLARED, flowOf, planOf, tool } from "../../../support/kernel/builders.ts"
import { digestsOf } from "../../../support/kernel/fork-digests.ts"
import { call, finish, replyOf, Shell } from "../../../support/kernel/shell.ts"

const worker = agentOf("worker", { tools: { kind: "list", names: [...DECLARED, "fetch"] } })
const fetches = tool("fetch", "read", { reach: { method: { fixed: "GET" }, to: { host: "out.example" } } })
const plan = planOf(flowOf([agent("a"), agent("b", { blockedBy: ["a"] })]), [worker], [fetches])
const rulesOf = (policy: Partial<Policy> = {}, version = 0): Rules => ({
  policy: { ...DEFAULT_POLICY, approvals: { ...DEFAULT_POLICY.approvals, tools: "always" }, ...policy },
  scopes: [],
  version,
})
const sourceOf = (...calls: Parameters<typeof call>[]): Shell => {
  const shell = new Shell(plan, { rules: rulesOf() })
  shell.reply("a", ...calls.map((args) => call(...args)))
  return shell
}

type Wish = Partial<Pick<ForkSignal, "rules" | "instead" | "digests">> & { readonly effects?: "staged" | "dry"; readonly run?: string }

function forkAt(source: Shell, cut: number, { effects, run = "run_2", ...more }: Wish = {}): Shell {
  const prefix = source.log.slice(0, cut)
  const at = prefix.at(-1)?.at ?? 0
  const from = { run: source.run.id, seq: cut, head: String(cut), at }
  const forked: FactOf<"run.forked"> = { type: "run.forked", run, source: from, by: "ann", effects: effects ?? "live" }
  return new Shell(source.plan, {
    fork: { prefix, signal: { type: "fork", at: at + 100_000, forked, digests: digestsOf(source.plan, prefix, run), ...more } },
  })
}

/** Every seq from the event on at which the source can be forked. */
function cutsFrom(source: Shell, from: number): number[] {
  const finder = new CutFinder()
  for (const e of source.log) finder.take(e)
  return source.log.flatMap(({ seq }) => (seq >= from && finder.find({ seq }, source.cuts).ok ? [seq] : []))
}

const seqOf = (shell: Shell, type: FactOf<"run.started">["type"] | "interaction.answered" | "tool.returned"): number =>
  shell.log.find((e) => e.type === type)?.seq ?? 0
const asked = (shell: Shell) => shell.pending().map((i) => [i.id, i.kind, i.payload["args"]])
const began = (shell: Shell, cut: number): string[] =>
  shell.log.slice(cut).flatMap((e) => (e.type === "action.begun" && e.kind === "tool" ? [e.key] : []))

describe("a call that a person approved", () => {
  test.each(["post", "put", "look"])("[K9] [S9] %s: at every cut before its result, a live fork asks again, and sends nothing", (name) => {
    const source = sourceOf([name, { n: 7 }])
    const shown = source.pending()[0]?.payload["hash"]
    source.answer("i1", { decision: "approve" })
    source.returns("a", "c0")
    const [answer, result] = [seqOf(source, "interaction.answered"), seqOf(source, "tool.returned")]
    const cuts = cutsFrom(source, answer)
    expect(cuts.filter((cut) => cut < result).length).toBeGreaterThan(1)
    for (const cut of cuts) {
      const fork = forkAt(source, cut)
      const isSent = source.log.slice(0, cut).some((e) => e.type === "action.begun" && e.kind === "tool")
      expect([cut, began(fork, cut)]).toEqual([cut, []])
      // A write that was under way may have happened: its agent is told so, and nobody is asked.
      if (cut >= result || (isSent && name === "post")) {
        expect([cut, asked(fork), fork.keys()]).toEqual([cut, [], ["a/1/1/model"]])
        continue
      }
      expect([cut, asked(fork), fork.keys()]).toEqual([cut, [["i2", "approval.tool", { n: 7 }]], []])
      const again = fork.pending()[0]?.payload["hash"]
      expect(again === shown).toBe(false)
      // The answer that the source got does not fit.
      expect(fork.answer("i2", { decision: "approve", hash: String(shown) }).ok).toBe(false)
      expect(fork.answer("i1", { decision: "approve" }).ok).toBe(false)
      fork.answer("i2", { decision: "approve", hash: String(again) })
      expect(began(fork, cut)).toEqual(["a/1/0/tool/c0"])
      fork.returns("a", "c0")
      expect([fork.keys(), fork.pending()]).toEqual([["a/1/1/model"], []])
    }
  })

  test("[K9] a fork of a fork asks too, whether its source was answered or not", () => {
    const source = sourceOf(["post", { n: 7 }])
    source.answer("i1", { decision: "approve" })
    const first = forkAt(source, seqOf(source, "interaction.answered"))
    const open = forkAt(first, first.run.seq, { run: "run_3" })
    expect(asked(open)).toEqual([["i2", "approval.tool", { n: 7 }]])
    first.answer("i2", { decision: "approve" })
    const { seq = 0 } = first.events("interaction.answered").at(-1) ?? {}
    const second = forkAt(first, seq, { run: "run_3" })
    expect([asked(second), began(second, seq)]).toEqual([[["i3", "approval.tool", { n: 7 }]], []])
  })

  test("[K9] arguments that a person edited are what the new question shows, and what runs", () => {
    const source = sourceOf(["post", { n: 7 }])
    source.answer("i1", { decision: "edit", args: { n: 8 } })
    const cut = seqOf(source, "interaction.answered")
    const fork = forkAt(source, cut)
    expect(asked(fork)).toEqual([["i2", "approval.tool", { n: 8 }]])
    const ledger = new Ledger(plan)
    for (const e of fork.log) ledger.take(e)
    expect(ledger.rows).toMatchObject([{ run: "run_2", state: "asked", args: { n: 8 } }])
    expect([ledger.rows[0]?.by, Object.values(fork.run.outside.open)[0]?.by]).toEqual([undefined, undefined])
    fork.answer("i2", { decision: "edit", args: { n: 9 } })
    expect(fork.events("tool.called").map((e) => e.args)).toEqual([{ n: 9 }])
  })

  test("[K9] refused in the fork, it never runs; forgotten, it expires into a refusal", () => {
    const source = sourceOf(["put", { n: 7 }])
    source.answer("i1", { decision: "approve" })
    const cut = source.run.seq
    expect(began(source, 0)).toHaveLength(1)
    const rejected = forkAt(source, cut)
    rejected.answer("i2", { decision: "reject", feedback: "once is enough" })
    const late = forkAt(source, cut)
    late.pass(late.nextDue() ?? 0)
    for (const fork of [rejected, late]) {
      expect(fork.events("tool.refused").map((e) => e.code)).toEqual(["approval_rejected"])
      expect([began(fork, cut), fork.keys()]).toEqual([[], ["a/1/1/model"]])
    }
  })

  test("[K10] the rules of now refuse it unasked", () => {
    const source = sourceOf(["post", { n: 7 }])
    source.answer("i1", { decision: "approve" })
    const rules = rulesOf({ denylist: [{ tool: "post", reason: "no posts any more" }] }, 3)
    const fork = forkAt(source, seqOf(source, "interaction.answered"), { rules })
    expect(fork.events("tool.refused").map((e) => [e.callId, e.code])).toEqual([["c0", "denylist"]])
    expect([asked(fork), fork.keys()]).toEqual([[], ["a/1/1/model"]])
  })

  test("[K9] rules of now that ask about nothing do not let it go", () => {
    const source = sourceOf(["post", { n: 7 }])
    source.answer("i1", { decision: "approve" })
    const cut = seqOf(source, "interaction.answered")
    const fork = forkAt(source, cut, { rules: { ...rulesOf({ approvals: DEFAULT_POLICY.approvals }), version: 3 } })
    expect([asked(fork), began(fork, cut)]).toEqual([[["i2", "approval.tool", { n: 7 }]], []])
  })

  test("[S9] without a digest it could not be bound to an approval: it is refused", () => {
    const source = sourceOf(["post", { n: 7 }])
    source.answer("i1", { decision: "approve" })
    const fork = forkAt(source, seqOf(source, "interaction.answered"), { digests: {} })
    expect(fork.events("tool.refused").map((e) => e.code)).toEqual(["policy"])
  })

  test("[K9] beside open questions and calls that nobody had to approve, only it is asked anew", () => {
    const source = sourceOf(["post", { n: 1 }], ["post", { n: 2 }], ["look", { n: 3 }])
    source.answer("i2", { decision: "approve" })
    const fork = forkAt(source, seqOf(source, "interaction.answered"))
    expect(asked(fork)).toEqual([
      ["i1", "approval.tool", { n: 1 }],
      ["i3", "approval.tool", { n: 3 }],
      ["i4", "approval.tool", { n: 2 }],
    ])
  })

  test("[K12] an answer in place of one question answers no other", () => {
    const source = sourceOf(["post", { n: 1 }], ["post", { n: 2 }])
    source.answer("i2", { decision: "approve" })
    const cut = seqOf(source, "interaction.answered")
    const fork = forkAt(source, cut, { instead: { answer: { decision: "approve" }, interaction: "i1" } })
    expect([asked(fork), began(fork, cut)]).toEqual([[["i3", "approval.tool", { n: 2 }]], ["a/1/0/tool/c0"]])
  })
})

test("[K9] [T41] an approved plan that has not begun is shown anew, whole", () => {
  const body = { title: "t", total: 50, actions: [] }
  const executes = tool(EXECUTE_PLAN, "write", {
    parameters: { type: "object", properties: { planId: { type: "string" } }, required: ["planId"], additionalProperties: false },
    reach: { method: { fixed: "POST" } },
  })
  const executor = agentOf("worker", { role: "executor", plan: "refunds", tools: { kind: "list", names: [] } })
  const source = new Shell(planOf(flowOf([agent("a")]), [executor], [executes]), { rules: rulesOf() })
  const key = source.flying("a", "/model")
  const plans = { c0: { plan: "refunds", planId: "p1", state: "draft", body } } as const
  const reply = replyOf([call(EXECUTE_PLAN, { planId: "p1" })])
  source.tell({ type: "model.reply", key, reply, at: source.now, digests: { c0: "h" }, plans })
  source.answer("i1", { decision: "approve" })
  const cut = seqOf(source, "interaction.answered")
  const fork = forkAt(source, cut)
  expect(fork.pending()).toMatchObject([{ id: "i2", kind: "approval.plan", payload: { planId: "p1", body, args: { planId: "p1" } } }])
  expect(began(fork, cut)).toEqual([])
  fork.answer("i2", { decision: "approve" })
  expect(began(fork, cut)).toEqual(["a/1/0/tool/c0"])
})

describe("a fork that holds its effects back", () => {
  test.each(["staged", "dry"] as const)("[K32] %s: a call that it keeps is not asked about, and a read that leaves is", (effects) => {
    const source = sourceOf(["post", { n: 1 }], ["fetch", { n: 2 }])
    source.answer("i1", { decision: "approve" })
    source.answer("i2", { decision: "approve" })
    const { seq = 0 } = source.events("interaction.answered")[1] ?? {}
    const fork = forkAt(source, seq, { effects })
    const kept = forkAt(source, seqOf(source, "interaction.answered"), { effects })
    expect([asked(fork).at(-1), began(fork, seq)]).toEqual([["i3", "approval.tool", { n: 2 }], []])
    expect(kept.events("tool.returned").map((e) => [e.callId, e.staged])).toEqual([["c0", true]])
  })
})

describe("a call whose server asked a person", () => {
  const elicits = (shell: Shell): void => {
    const question = { key: "k", asked: { mode: "form" as const, message: "Which?", requested: { type: "object", properties: {} } } }
    shell.tell({ type: "tool.asks", key: "a/1/0/tool/c0", questions: [question], at: shell.now })
  }

  test("[K9] is asked about anew, and what the person told the server stays told", () => {
    const source = sourceOf(["put", { n: 7 }])
    source.answer("i1", { decision: "approve" })
    elicits(source)
    source.answer("i2", { decision: "reject" })
    const { seq = 0 } = source.events("interaction.answered")[1] ?? {}
    const fork = forkAt(source, seq)
    expect([asked(fork), fork.keys()]).toEqual([[["i3", "approval.tool", { n: 7 }]], []])
    fork.answer("i3", { decision: "approve" })
    expect(fork.keys()).toEqual(["a/1/0/tool/c0"])
    const open = fork.state("a").session?.open[0]
    expect(open && answersFor(fork.run, open)).toHaveLength(1)
  })

  test.each([
    ["i2", "i3"],
    ["i3", "i2"],
  ])("[K9] waits for both answers while its server's question is open: %s, then %s", (first, then) => {
    const source = sourceOf(["put", { n: 7 }])
    source.answer("i1", { decision: "approve" })
    elicits(source)
    const fork = forkAt(source, source.run.seq)
    expect(fork.pending().map((i) => [i.id, i.kind])).toEqual([
      ["i2", "elicitation"],
      ["i3", "approval.tool"],
    ])
    const says = (id: string) => fork.answer(id, { decision: id === "i3" ? "approve" : "reject" })
    expect(says(first).ok).toBe(true)
    expect(fork.keys()).toEqual([])
    expect(says(then).ok).toBe(true)
    expect(fork.keys()).toEqual(["a/1/0/tool/c0"])
  })
})

test("[K9] what a step answered with stays: nothing of the history is asked again", () => {
  const source = sourceOf(["ask_user", { question: "?", type: "confirm" }])
  source.answer("i1", { answer: true })
  source.reply("a", finish())
  const fork = forkAt(source, source.run.seq)
  expect([asked(fork), fork.keys()]).toEqual([[], ["b/1/0/model"]])
})
