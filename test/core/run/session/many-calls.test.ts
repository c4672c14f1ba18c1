// [G6] Many calls in one reply: 128 are taken, each of the others is refused, and the cost of a call does not grow with their number.
// [Q1] Many questions: at most 20 of a run are open. The tests count events, questions and looks at arguments, not time.

import { describe, expect, test } from "vitest"
import type { JsonObject } from "../../../../src/core/json.ts"
import { DEFAULT_POLICY, DEFAULT_RULES } from "../../../../src/core/tool/policy/policy.ts"
import { MAX_CALLS, MAX_KEPT_CALLS, readCalls, UniqueIds } from "../../../../src/core/run/session/calls.ts"
import { messages } from "../../../../src/core/run/session/conversation.ts"
import { MAX_QUESTIONS } from "../../../../src/core/run/session/ask/interaction.ts"
import { agent, agentOf, flowOf, fork, planOf } from "../../../support/kernel/builders.ts"
import { breaches } from "../../../support/kernel/laws.ts"
import { call, finish, replyOf, roundTrip, Shell, type Call, type StartOptions } from "../../../support/kernel/shell.ts"

const one = (autonomous = true, options: StartOptions = {}): Shell =>
  new Shell(planOf(flowOf([agent("a")], { autonomous }), [agentOf("worker")]), { autonomous, ...options })
const many = (count: number, of: (i: number) => Call): Call[] => Array.from({ length: count }, (_, i) => of(i))
const codes = (s: Shell): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const { code } of s.events("tool.refused")) counts[code] = (counts[code] ?? 0) + 1
  return counts
}
/** Answers every call under way, until the model is asked again. */
const work = (s: Shell, step = "a"): void => {
  for (let key = s.keys().find((k) => k.includes("/tool/")); key !== undefined; key = s.keys().find((k) => k.includes("/tool/")))
    s.returns(step, key.split("/tool/")[1] ?? "", key)
}

describe("calls of one reply", () => {
  test.each([129, 200, 1600, 3000])("[G6] of %i calls 128 are taken, and each of the others has a result", (count) => {
    const s = one()
    s.reply("a", ...many(count, (i) => call("put", { n: i })))
    expect(codes(s)).toEqual({ too_many: count - MAX_CALLS })
    expect(s.events("tool.refused")[0]?.reason).toContain("128")
    work(s)
    expect(s.events("tool.called")).toHaveLength(MAX_CALLS)
    const ids = [...s.events("tool.returned"), ...s.events("tool.refused")].map((e) => e.callId)
    expect(new Set(ids).size).toBe(count)
    expect(ids).toHaveLength(count)
    const session = s.state("a").session
    const said = messages(
      session ?? { task: "" },
      s.log.filter((e) => session?.seqs.includes(e.seq)),
    )
    expect(said.filter((m) => m.role === "tool").map((m) => m.callId)).toEqual(s.events("model.replied")[0]?.toolCalls.map((c) => c.id))
    s.reply("a", finish())
    expect(s.run.status).toBe("succeeded")
    expect(breaches(s.plan, s.log)).toEqual([])
  })

  test("[G6] 128 calls are all taken", () => {
    const s = one()
    s.reply("a", ...many(MAX_CALLS, (i) => call("look", { n: i })))
    expect(codes(s)).toEqual({})
    work(s)
    expect(s.events("tool.called")).toHaveLength(MAX_CALLS)
  })

  test("[G2, G6] a finish among the first 128 ends the session, a later one is refused", () => {
    const early = one()
    early.reply("a", ...many(50, (i) => call("look", { n: i })), finish(), ...many(100, (i) => call("look", { n: i }, `l${i}`)))
    expect(codes(early)).toEqual({ after_finish: 100 })
    work(early)
    expect(early.run.status).toBe("succeeded")
    const late = one()
    late.reply("a", ...many(MAX_CALLS, (i) => call("look", { n: i })), finish())
    expect(codes(late)).toEqual({ too_many: 1 })
    work(late)
    expect([late.run.status, late.keys()]).toEqual(["running", ["a/1/1/model"]])
  })

  test("[G6] calls that are refused for another reason count among the 128", () => {
    const s = one()
    s.reply("a", ...many(MAX_CALLS, () => call("ghost")), call("look"))
    expect(codes(s)).toEqual({ undeclared: MAX_CALLS, too_many: 1 })
  })

  test("[J6] a restart in the middle changes nothing", () => {
    const s = one(true, { snapshotEvery: 40 })
    s.reply("a", ...many(300, (i) => call("put", { n: i })))
    for (let i = 0; i < 60; i++) s.returns("a", `c${i}`, `${i}`)
    s.crash()
    expect(roundTrip(s.refolded().steps)).toEqual(roundTrip(s.run.steps))
    work(s)
    expect(s.events("tool.called")).toHaveLength(MAX_CALLS)
    s.reply("a", finish())
    expect(s.run.status).toBe("succeeded")
  })
})

describe("the cost of many calls", () => {
  /** How often the arguments of the calls are looked at, from the reply to the last result. */
  const looks = (tool: string, count: number): number => {
    let n = 0
    const watched = (i: number): JsonObject =>
      new Proxy({ n: i } as JsonObject, {
        ownKeys: (target) => {
          n += 1
          return Reflect.ownKeys(target)
        },
      })
    const s = one()
    const reply = replyOf(many(count, (i) => call(tool, { n: i })))
    const key = s.flying("a", "/model")
    const toolCalls = reply.toolCalls.map((c, i) => ({ ...c, args: watched(i) }))
    s.tell({ type: "model.reply", key, reply: { ...reply, toolCalls }, at: s.now })
    work(s)
    expect(s.events("tool.called")).toHaveLength(count)
    return n
  }

  test.each(["put", "look"])("[J8] %s: arguments are looked at as often per call with 128 calls as with 16", (tool) => {
    const [few, lots] = [looks(tool, 16), looks(tool, 128)]
    expect(few / 16).toBeLessThan(20)
    expect(lots / 128).toBeLessThanOrEqual(few / 16)
  })

  test("[J8] events grow with the number of calls, and by one for each refused call", () => {
    const events = (count: number): number => {
      const s = one()
      s.reply("a", ...many(count, (i) => call("put", { n: i })))
      work(s)
      return s.log.length
    }
    const [a, b, c, d] = [events(32), events(64), events(128), events(1128)]
    expect(c - b).toBe(2 * (b - a))
    expect(d - c).toBe(1000)
  })
})

describe("what a reply's calls may hold", () => {
  const sent = (count: number, args: string, id = (i: number) => `c${i}`, name = "look") =>
    Array.from({ length: count }, (_, i) => ({ id: id(i), name, args }))

  test("[G6] arguments that do not fit into the reply are cut, each call keeps its place, and the refusal says why", () => {
    const calls = readCalls(sent(4, JSON.stringify({ n: "x".repeat(150_000) })), { hash: (text) => `h${text.length}` })
    expect(calls.map((c) => c.cut === undefined)).toEqual([true, true, false, false])
    expect(calls[2]).toMatchObject({ args: {}, cut: { size: 150_008, digest: "h150008" } })
    const s = one()
    s.tell({ type: "model.reply", key: s.flying("a", "/model"), reply: { ...replyOf([]), toolCalls: calls }, at: s.now })
    const [, , third] = s.events("tool.refused")
    expect(third).toMatchObject({ code: "invalid_args", size: 150_008, digest: "h150008" })
    expect(third?.reason).toMatch(/150008 characters/)
    expect(s.run.status).toBe("running")
  })

  test("[G6] arguments over 256 KiB and deeper than 64 levels are named with their limit", () => {
    const s = one()
    const deep = `${'{"n":'.repeat(70)}1${"}".repeat(70)}`
    s.reply("a", call("look", JSON.stringify({ n: "x".repeat(300_000) })), call("look", deep), finish({ summary: "x".repeat(300_000) }))
    const [long, nested] = s.events("tool.refused")
    expect(long).toMatchObject({ code: "invalid_args", size: 300_008 })
    expect(long?.reason).toMatch(/262144/)
    expect(nested?.reason).toMatch(/64 levels/)
    expect(s.events("finish.rejected")[0]?.errors[0]?.message).toMatch(/262144/)
    expect(JSON.stringify(s.log).length).toBeLessThan(20_000)
  })

  test("[G6] [K18] a number that JSON cannot keep is refused as it is read, so that the journal says the same when it is read back", () => {
    const endless = ['{"n":1e999}', '{"n":[{"m":-1e400}]}', `{"n":${"9".repeat(400)}}`]
    for (const { args, raw, cut } of readCalls(endless.map((text, i) => ({ id: `c${i}`, name: "look", args: text })))) {
      expect(args).toEqual({})
      expect(raw).toBeDefined()
      expect(cut?.why).toMatch(/too large/)
    }
    const s = one()
    s.reply("a", call("look", '{"n":1e999}'), call("look", '{"n":1e308}'), call("finish", '{"status":"complete","summary":"s","n":1e999}'))
    expect(s.events("tool.refused")[0]).toMatchObject({ code: "invalid_args" })
    expect(s.events("tool.called")).toHaveLength(1)
    expect(s.events("finish.rejected")[0]?.errors[0]?.message).toMatch(/too large/)
    // What is kept in the journal is what was judged.
    const calls = s.events("model.replied").flatMap(({ toolCalls }) => toolCalls)
    expect(JSON.parse(JSON.stringify(calls))).toEqual(calls)
  })

  test("[G6] of 100,000 calls the first 4,096 are kept, in a journal row of bounded size", () => {
    const calls = readCalls(sent(100_000, "{}"))
    expect(calls).toHaveLength(MAX_KEPT_CALLS)
    const wide = readCalls(sent(100_000, "{}", (i) => `${i}`.padStart(64, "c"), "n".repeat(400)))
    expect(JSON.stringify(wide).length).toBeLessThan(700_000)
    expect(wide.length).toBeGreaterThan(MAX_CALLS)
    expect(JSON.stringify(readCalls(sent(100_000, JSON.stringify({ n: "x".repeat(5_000) })))).length).toBeLessThan(900_000)
  })

  test("[G6] an id that is made unique is no longer than providers take", () => {
    const ids = new UniqueIds()
    const made = Array.from({ length: 12 }, () => ids.of("i".repeat(64)))
    expect([new Set(made).size, Math.max(...made.map((id) => id.length))]).toEqual([12, 64])
  })

  test("[G6] duplicate and empty ids become unique, and their number costs nothing more", () => {
    const same = readCalls(sent(MAX_KEPT_CALLS, "{}", () => "same"))
    expect(same.slice(0, 3).map((c) => c.id)).toEqual(["same", "same_2", "same_3"])
    expect(new Set(same.map((c) => c.id)).size).toBe(MAX_KEPT_CALLS)
    const tricky = readCalls(["a", "a_2", "a", "a", "a_2", "", "", "call_5"].map((id) => ({ id, name: "look", args: "{}" })))
    expect(new Set(tricky.map((c) => c.id)).size).toBe(8)
    expect(tricky.slice(0, 5).map((c) => c.id)).toEqual(["a", "a_2", "a_3", "a_4", "a_2_2"])
  })
})

describe("open questions", () => {
  const ask = (i: number): Call => call("ask_user", { question: `Why ${i}?`, type: "input" }, `q${i}`)
  const asking = { ...DEFAULT_RULES, policy: { ...DEFAULT_POLICY, approvals: { ...DEFAULT_POLICY.approvals, tools: "always" as const } } }

  test.each([25, 128, 2000])("[Q1] of %i questions of one reply 20 are asked, and the others are refused", (count) => {
    const s = one(false)
    s.reply("a", ...many(count, ask))
    expect(s.pending()).toHaveLength(MAX_QUESTIONS)
    expect(codes(s)).toEqual({ too_many: count - MAX_QUESTIONS })
    for (const { id } of s.pending()) s.answer(id, { answer: "so" })
    expect(s.keys()).toEqual(["a/1/1/model"])
    s.reply("a", ask(9000))
    expect(s.pending()).toHaveLength(1)
  })

  test("[Q1] approvals count too, and a call that may not ask does not run", () => {
    const s = one(true, { rules: asking })
    s.reply("a", ...many(30, (i) => call("post", { n: i })))
    expect(s.pending()).toHaveLength(MAX_QUESTIONS)
    expect(codes(s)).toEqual({ too_many: 10 })
    for (const { id } of s.pending()) s.answer(id, { decision: "approve" })
    work(s)
    expect(s.events("tool.called")).toHaveLength(MAX_QUESTIONS)
  })

  test("[Q1] the limit is one for all branches of a fan", () => {
    const ids = Array.from({ length: 12 }, (_, i) => `s${i}`)
    const plan = planOf(
      flowOf(
        ids.map((id) => agent(id)),
        { autonomous: false, max_concurrent: 12 },
      ),
    )
    const s = new Shell(plan, { autonomous: false, atOnce: 12 })
    for (const id of ids) {
      s.reply(id, ask(1), ask(2), ask(3))
      expect(s.pending().length).toBeLessThanOrEqual(MAX_QUESTIONS)
    }
    expect(s.pending()).toHaveLength(MAX_QUESTIONS)
    expect(codes(s)).toEqual({ too_many: 16 })
    // A refused question does not hold its branch up.
    expect(s.keys().length).toBeGreaterThan(0)
  })

  test("[Q1] a fork never meets the limit: it opens when the steps before it, and so their questions, are done", () => {
    const steps = [agent("a"), fork("f", { go: "end" }), agent("end")]
    const s = new Shell(planOf(flowOf(steps, { autonomous: false })), { autonomous: false })
    s.reply("a", ...many(30, ask))
    expect([s.pending().length, s.statuses()["f"]]).toEqual([MAX_QUESTIONS, "pending"])
    for (const { id } of s.pending()) s.answer(id, { answer: "so" })
    s.reply("a", finish())
    expect(s.pending().map((i) => i.kind)).toEqual(["fork"])
    s.answer(s.pending()[0]?.id ?? "", { answer: "go" })
    s.reply("end", finish())
    expect(s.run.status).toBe("succeeded")
    expect(breaches(s.plan, s.log)).toEqual([])
  })

  test("[Q1, B2] a budget question beyond the limit is asked when there is room", () => {
    const ids = Array.from({ length: 30 }, (_, i) => `s${i}`)
    const plan = planOf(
      flowOf(
        ids.map((id) => agent(id, { budget: { tokens: 10 } })),
        { max_concurrent: 30 },
      ),
    )
    const s = new Shell(plan, { atOnce: 30 })
    expect(s.pending()).toHaveLength(MAX_QUESTIONS)
    expect([s.run.status, s.run.reason]).toEqual(["waiting", "interaction"])
    const [first] = s.pending()
    s.answer(first?.id ?? "", { answer: { raise: { tokens: 100_000 } } })
    expect(s.pending()).toHaveLength(MAX_QUESTIONS)
    expect(s.keys()).toHaveLength(1)
  })
})
