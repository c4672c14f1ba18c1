// Effects in the kernel [K31–K35]: calls that a staged or dry run keeps, the question at the end, carrying out, taking back.

import { describe, expect, test } from "vitest"
import type { Agent } from "../../../../src/core/flow/agent.ts"
import type { Flow } from "../../../../src/core/flow/flow.ts"
import { DEFAULT_POLICY, type Policy, type Rules } from "../../../../src/core/tool/policy/policy.ts"
import { Ledger, openRows } from "../../../../src/core/run/effects/ledger.ts"
import { MAX_KEPT, MAX_KEPT_CHARS } from "../../../../src/core/run/effects/kept-bounds.ts"
import { apply } from "../../../../src/core/run/apply.ts"
import { decide } from "../../../../src/core/run/decide.ts"
import type { RunEvent } from "../../../../src/core/run/event.ts"
import { compile } from "../../../../src/core/run/plan.ts"
import { reportOf } from "../../../../src/core/run/steps/children.ts"
import type { ToolSpec } from "../../../../src/core/tool/tool-spec.ts"
import { agent, agentOf, flowOf, TOOLS } from "../../../support/kernel/builders.ts"
import { call, finish, Shell, type StartOptions } from "../../../support/kernel/shell.ts"

const anything = { type: "object", properties: { to: { type: "string" }, n: { type: "integer" } }, additionalProperties: false }
const made = (name: string, more: Partial<ToolSpec> = {}): ToolSpec => ({
  name,
  description: name,
  parameters: anything,
  effect: "write",
  contexts: ["agent"],
  reach: { to: { host: "mail.example" }, method: { fixed: "POST" } },
  ...more,
})
const OWN: readonly ToolSpec[] = [
  made("send"),
  made("told", { simulate: "queued for ${{args.to}}" }),
  made("sure", { idempotent: true }),
  made("back", { undoable: true }),
  made("peek", { effect: "read", reach: { to: { host: "mail.example" }, method: { fixed: "GET" } } }),
  made("note", { effect: "write", reach: undefined as never, groups: ["fs"] }),
]
const NAMES = OWN.map((t) => t.name)

const rulesOf = (policy: Partial<Policy>, version = 0): Rules => ({ policy: { ...DEFAULT_POLICY, ...policy }, scopes: [], version })

function shellOf(
  effects: "staged" | "dry" | undefined,
  options: StartOptions = {},
  flow: Partial<Flow> = {},
  more: Partial<Agent> = {},
): Shell {
  const worker = agentOf("worker", { tools: { kind: "list", names: NAMES }, ...more })
  const plan = compile({
    flow: flowOf([agent("a"), agent("b", { blockedBy: ["a"] })], flow),
    agents: { worker },
    skills: {},
    tools: [...TOOLS, ...OWN],
  })
  return new Shell(plan, { ...options, started: { ...(effects ? { effects } : {}), ...options.started } })
}

const rows = (shell: Shell) => {
  const ledger = new Ledger(shell.plan)
  for (const e of shell.log) ledger.take(e)
  return ledger.rows
}
const states = (shell: Shell) => rows(shell).map((row) => row.state)
const end = (shell: Shell): void => {
  shell.reply("a", finish())
  shell.reply("b", finish())
}
const question = (shell: Shell) => shell.pending().find((i) => i.kind === "effects")
const commit = (shell: Shell, body: object) => shell.answer(question(shell)?.id ?? "", { answer: body as never })
const carried = (shell: Shell): string[] => [...shell.flights.values()].flatMap((e) => (e.do === "carry-out" ? [e.key] : []))
const lands = (shell: Shell, state: "confirmed" | "failed" | "uncertain" = "confirmed") => {
  const [key] = carried(shell)
  return shell.tell({ type: "effect.result", key: key ?? "", result: { state } })
}

describe("a staged run", () => {
  test("[K32] keeps calls that write outside in one record, and nothing of them begins", () => {
    const shell = shellOf("staged")
    shell.reply("a", call("send", { to: "bob" }), call("told", { to: "eve" }), call("peek", {}), call("note", {}))
    expect(
      shell
        .events("action.begun")
        .filter((e) => e.kind === "tool")
        .map((e) => e.key),
    ).toEqual(["a/1/0/tool/c2"])
    expect(shell.events("tool.returned").map((e) => [e.tool, e.staged, e.isError, e.content])).toEqual([
      ["send", true, false, [{ type: "text", text: expect.stringContaining("Not sent") }]],
      ["told", true, false, [{ type: "text", text: "queued for eve" }]],
    ])
    shell.returns("a", "c2")
    shell.returns("a", "c3")
    expect(states(shell)).toEqual(["staged", "staged"])
    expect(openRows(shell.run).map((row) => [row.tool, row.state, row.target])).toEqual([
      ["send", "staged", "mail.example"],
      ["told", "staged", "mail.example"],
    ])
  })

  test("[K32] asks once at the end, carries out what was chosen in the order shown, discards the rest, and ends", () => {
    const shell = shellOf("staged")
    shell.reply("a", call("send", { to: "1" }), call("send", { to: "2" }), call("send", { to: "3" }))
    end(shell)
    expect(shell.run.status).toBe("waiting")
    const shown = question(shell)?.payload["effects"] as { key: string; args: object }[]
    expect(shown.map((e) => e.args)).toEqual([{ to: "1" }, { to: "2" }, { to: "3" }])
    const keys = shown.map((e) => e.key)
    for (const bad of [{ commit: ["nope"] }, { commit: "some" }, "all", { commit: "all", more: 1 }, {}])
      expect(shell.answer(question(shell)?.id ?? "", { answer: bad as never }).ok).toBe(false)
    commit(shell, { commit: [keys[2] ?? "", keys[0] ?? ""] })
    expect(carried(shell)).toEqual([keys[0]])
    lands(shell)
    expect(carried(shell)).toEqual([keys[2]])
    lands(shell)
    expect(shell.run.status).toBe("succeeded")
    expect(rows(shell).map((row) => [row.state, row.by])).toEqual([
      ["confirmed", "ann"],
      ["discarded", "ann"],
      ["confirmed", "ann"],
    ])
    expect(shell.log.at(-1)?.type).toBe("run.ended")
  })

  test("[K32] stop_on_failure discards what comes after a failure; without it the others are carried out", () => {
    for (const [stop, expected] of [
      [true, ["failed", "discarded"]],
      [false, ["failed", "confirmed"]],
    ] as const) {
      const shell = shellOf("staged")
      shell.reply("a", call("send", { to: "1" }), call("send", { to: "2" }))
      end(shell)
      commit(shell, { commit: "all", stop_on_failure: stop })
      lands(shell, "failed")
      if (!stop) lands(shell)
      expect(states(shell)).toEqual(expected)
      expect(shell.run.status).toBe("succeeded")
    }
  })

  test("[K32] with stop_on_failure, what was not chosen is no failure: what comes after it is carried out", () => {
    const shell = shellOf("staged")
    shell.reply("a", call("send", { to: "1" }), call("send", { to: "2" }), call("send", { to: "3" }), call("send", { to: "4" }))
    end(shell)
    const shown = question(shell)?.payload["effects"] as { key: string }[]
    commit(shell, { commit: [shown[1]?.key ?? "", shown[3]?.key ?? ""], stop_on_failure: true })
    lands(shell)
    lands(shell)
    expect(states(shell)).toEqual(["discarded", "confirmed", "discarded", "confirmed"])
  })

  test("[K32] each effect is judged by the rules of now, and goes out exactly as it was shown", () => {
    const shell = shellOf("staged")
    shell.reply("a", call("send", { to: "bob" }), call("send", { to: "eve", n: 7 }))
    end(shell)
    shell.rules = rulesOf({ denylist: [{ tool: "send", args: "bob", reason: "not to bob" }] }, 3)
    commit(shell, { commit: "all" })
    expect([...shell.flights.values()].map((e) => e.do === "carry-out" && e.args)).toEqual([{ to: "eve", n: 7 }])
    lands(shell)
    expect(rows(shell).map((row) => row.state)).toEqual(["refused", "confirmed"])
    expect(rows(shell)[0]?.reason).toMatch(/denylist.*not to bob/)
  })

  test("[K32] an approval is asked at its call, and what it lets go is kept", () => {
    const shell = shellOf("staged", { rules: rulesOf({ approvals: { ...DEFAULT_POLICY.approvals, tools: "always" } }) })
    shell.reply("a", call("send", { to: "bob" }))
    expect(shell.pending().map((i) => i.kind)).toEqual(["approval.tool"])
    expect(states(shell)).toEqual(["asked"])
    shell.answer("i1", { decision: "approve" })
    expect(states(shell)).toEqual(["staged"])
    end(shell)
    expect(question(shell)).toBeDefined()
  })

  test("[K32] expires like an approval, and then commits nothing; the run's timeout stands still meanwhile", () => {
    const shell = shellOf("staged", {}, { timeout: 5_000 })
    shell.reply("a", call("send", { to: "bob" }))
    end(shell)
    shell.pass(shell.now + 60_000)
    expect(shell.run.status).toBe("waiting")
    shell.pass(shell.now + 25 * 3_600_000)
    expect([shell.run.status, states(shell)]).toEqual(["succeeded", ["discarded"]])
  })

  test("[K32] failed or canceled: all is discarded unasked", () => {
    const failed = shellOf("staged")
    failed.reply("a", call("send", { to: "bob" }))
    failed.reply("a", finish({ status: "error" }))
    expect([failed.run.status, states(failed), failed.run.asked]).toEqual(["failed", ["discarded"], 0])
    const canceled = shellOf("staged")
    canceled.reply("a", call("send", { to: "bob" }))
    end(canceled)
    canceled.tell({ type: "cancel", by: "ann" })
    expect([canceled.run.status, states(canceled), openRows(canceled.run)]).toEqual(["canceled", ["discarded"], []])
  })

  test("[K32] a run keeps 500 calls with a million characters, and refuses more", () => {
    const shell = shellOf("staged", {}, {}, { max_turns: 100 })
    for (let n = 0; n < 4; n++) shell.reply("a", ...Array.from({ length: 128 }, (_, i) => call("send", { n: n * 128 + i })))
    expect(shell.events("tool.refused").map((e) => e.code)).toEqual(Array.from({ length: 512 - MAX_KEPT }, () => "too_many"))
    const wide = shellOf("staged", {}, {}, { max_turns: 100 })
    const long = "x".repeat(200_000)
    for (let n = 0; n < 6; n++) wide.reply("a", call("send", { to: long }))
    expect(wide.run.outside.keptChars).toBeLessThanOrEqual(MAX_KEPT_CHARS)
    expect(wide.events("tool.refused").map((e) => e.code)).toEqual(["too_many", "too_many"])
  })

  test("[K32] a long simulation is cut", () => {
    const shell = shellOf("staged")
    shell.reply("a", call("told", { to: "x".repeat(60_000) }))
    expect(shell.events("tool.returned")[0]?.content).toEqual([{ type: "text", text: `queued for ${"x".repeat(49_989)}` }])
  })

  test("[K32] a child hands its kept effects up with its report, and carries them out after its end", () => {
    const parent = { run: "run_0", step: "r", pass: 1, index: 0, depth: 1 }
    const child = shellOf("staged", { started: { parent } })
    child.reply("a", call("send", { to: "1" }), call("send", { to: "2" }))
    end(child)
    expect([child.run.status, states(child)]).toEqual(["succeeded", ["staged", "staged"]])
    const given = reportOf(child.run)?.effects ?? []
    expect(given.map((e) => [e.run, e.key, e.args])).toEqual([
      ["run_1", "a/1/0/tool/c0", { to: "1" }],
      ["run_1", "a/1/0/tool/c1", { to: "2" }],
    ])
    const { seq } = child.run
    child.tell({ type: "commit", keys: ["a/1/0/tool/c1"], by: "ann" })
    expect(carried(child)).toEqual(["a/1/0/tool/c1"])
    lands(child)
    child.tell({ type: "discard", reason: "the run that asked has ended" })
    expect([states(child), child.run.status]).toEqual([["discarded", "confirmed"], "succeeded"])
    expect(child.run.endSeq).toBe(seq)
    expect(child.run.seq).toBeGreaterThan(seq)
  })
})

describe("a dry run", () => {
  test("[K33] keeps the same, asks nobody, and discards all", () => {
    const shell = shellOf("dry")
    shell.reply("a", call("send", { to: "bob" }))
    end(shell)
    expect([shell.run.status, states(shell), shell.run.asked]).toEqual(["succeeded", ["discarded"], 0])
    expect(shell.events("action.begun").some((e) => e.kind === "tool" || e.kind === "effect")).toBe(false)
  })
})

describe("a live run", () => {
  test("[K31] the ledger has what was refused, asked, rejected, sent, confirmed and failed; reads and files are not in it", () => {
    const policy = {
      denylist: [{ tool: "send", args: "mallory", reason: "never" }],
      approvals: { ...DEFAULT_POLICY.approvals, tools: { kind: "dynamic" as const, value: "args.n > 5" } },
    }
    const shell = shellOf(undefined, { rules: rulesOf(policy) })
    shell.reply(
      "a",
      call("send", { to: "mallory", n: 1 }),
      call("send", { to: "bob", n: 1 }),
      call("send", { to: "rich", n: 9 }),
      call("peek", { n: 1 }),
      call("note", { n: 1 }),
      call("nothing", { n: 1 }),
    )
    expect(states(shell)).toEqual(["refused", "sent", "asked", "refused"])
    expect(openRows(shell.run).map((row) => row.state)).toEqual(["asked"])
    shell.returns("a", "c1")
    shell.answer(shell.pending()[0]?.id ?? "", { decision: "reject", feedback: "too much" })
    expect(rows(shell).map((row) => [row.args["to"], row.state, row.reason, row.by])).toEqual([
      ["mallory", "refused", "denylist", undefined],
      ["bob", "confirmed", undefined, undefined],
      ["rich", "rejected", "too much", "ann"],
      [undefined, "refused", "undeclared", undefined],
    ])
  })

  test("[K31] a request that left and got no answer is uncertain, and a person says once what happened", () => {
    const shell = shellOf(undefined)
    shell.reply("a", call("send", { to: "bob" }))
    const content = [{ type: "text" as const, text: "did not answer" }]
    shell.tell({ type: "tool.result", key: "a/1/0/tool/c0", result: { isError: true, content, uncertain: true } })
    expect([states(shell), openRows(shell.run).map((row) => row.state)]).toEqual([["uncertain"], ["uncertain"]])
    end(shell)
    const ended = shell.run.seq
    expect(shell.tell({ type: "resolve", key: "nope", happened: true, by: "ann" }).ok).toBe(false)
    expect(shell.tell({ type: "resolve", key: "a/1/0/tool/c0", happened: true, by: "ann" }).ok).toBe(true)
    expect(shell.tell({ type: "resolve", key: "a/1/0/tool/c0", happened: false, by: "ann" }).ok).toBe(false)
    expect([rows(shell)[0]?.state, rows(shell)[0]?.by, openRows(shell.run), shell.run.endSeq]).toEqual(["confirmed", "ann", [], ended])
  })

  test("[K31] what was being sent when its step or its run ended is uncertain", () => {
    const shell = shellOf(undefined)
    shell.reply("a", call("send", { to: "bob" }))
    shell.tell({ type: "cancel", by: "ann" })
    expect([states(shell), openRows(shell.run).map((row) => row.state)]).toEqual([["uncertain"], ["uncertain"]])
  })

  test("[K35] undo takes confirmed effects back in reverse order, after the end, and twice is once", () => {
    const shell = shellOf(undefined)
    shell.reply("a", call("back", { to: "1" }), call("send", { to: "x" }), call("back", { to: "2" }))
    for (const id of ["c0", "c1", "c2"]) shell.returns("a", id)
    expect(shell.tell({ type: "undo", by: "ann" }).ok).toBe(false)
    end(shell)
    shell.tell({ type: "undo", by: "ann" })
    shell.tell({ type: "undo", by: "ann" })
    expect(carried(shell)).toEqual(["a/1/0/tool/c2/undo"])
    lands(shell)
    expect(carried(shell)).toEqual(["a/1/0/tool/c0/undo"])
    lands(shell, "failed")
    expect(rows(shell).map((row) => [row.key, row.state, row.undoable, row.undoes])).toEqual([
      ["a/1/0/tool/c0", "confirmed", true, undefined],
      ["a/1/0/tool/c1", "confirmed", false, undefined],
      ["a/1/0/tool/c2", "undone", true, undefined],
      ["a/1/0/tool/c2/undo", "confirmed", false, "a/1/0/tool/c2"],
      ["a/1/0/tool/c0/undo", "failed", false, "a/1/0/tool/c0"],
    ])
    shell.tell({ type: "undo", by: "ann" })
    expect(carried(shell)).toEqual(["a/1/0/tool/c0/undo"])
  })

  test("[K35] with on_failure: undo a failing run takes back what it did before it ends", () => {
    const shell = shellOf(undefined, {}, { on_failure: "undo" })
    shell.reply("a", call("back", { to: "1" }))
    shell.returns("a", "c0")
    shell.reply("a", finish({ status: "error" }))
    expect([shell.run.status, carried(shell)]).toEqual(["running", ["a/1/0/tool/c0/undo"]])
    lands(shell)
    expect([shell.run.status, states(shell)]).toEqual(["failed", ["undone", "confirmed"]])
    expect(shell.log.at(-1)?.type).toBe("run.ended")
    const late = shellOf(undefined, {}, { on_failure: "undo", timeout: 5_000 })
    late.reply("a", call("back", { to: "1" }))
    late.returns("a", "c0")
    late.timeout(late.now + 6_000)
    lands(late)
    expect([late.run.status, late.run.error?.source, states(late)]).toEqual(["failed", "run_timeout", ["undone", "confirmed"]])
  })
})

describe("a fork", () => {
  /** The state and the ledger of a fork of this run, right after its first event. */
  function forkOf(shell: Shell) {
    const { seq, head, at } = shell.run
    const source = { run: "run_1", seq, head, at }
    const event: RunEvent = {
      seq: seq + 1,
      at,
      v: 1,
      prev: head,
      type: "run.forked",
      run: "run_2",
      source,
      by: "ann",
      effects: "staged",
    }
    const run = apply(shell.refolded(), event)
    const ledger = new Ledger(shell.plan)
    for (const e of [...shell.log, event]) ledger.take(e)
    return { run, rows: ledger.rows }
  }

  test("[K31] its ledger begins at its cut, and calls that are open there go on in it", () => {
    const tools = { kind: "dynamic", value: "args.n > 5" } as const
    const shell = shellOf(undefined, { rules: rulesOf({ approvals: { ...DEFAULT_POLICY.approvals, tools } }) })
    shell.reply("a", call("back", { n: 1 }), call("send", { n: 9 }))
    shell.returns("a", "c0")
    expect(states(shell)).toEqual(["confirmed", "asked"])
    const fork = forkOf(shell)
    expect(fork.rows.map((row) => [row.run, row.key, row.state])).toEqual([["run_2", "a/1/0/tool/c1", "asked"]])
    expect([fork.run.outside.undoable, openRows(fork.run).map((row) => [row.run, row.state])]).toEqual([[], [["run_2", "asked"]]])
  })

  test("[K14] of a run that waits for its commit does not take over what the run kept", () => {
    const shell = shellOf("staged")
    shell.reply("a", call("send", { n: 1 }))
    end(shell)
    const fork = forkOf(shell)
    expect([fork.rows, fork.run.outside.kept, fork.run.pending]).toEqual([[], [], []])
    expect(decide(fork.run)).toMatchObject([{ do: "record", facts: [{ type: "run.ended", status: "succeeded" }] }])
  })
})

describe("a crash", () => {
  test("[K32] at every point of a commit an idempotent call is sent again, and another is uncertain and never sent twice", () => {
    for (const tool of ["sure", "send"])
      for (const when of [0, 1, 2]) {
        const shell = shellOf("staged", { snapshotEvery: 3 })
        shell.reply("a", call(tool, { to: "1" }), call(tool, { to: "2" }), call(tool, { to: "3" }))
        end(shell)
        commit(shell, { commit: "all" })
        const sent: string[] = []
        for (let n = 0; shell.run.status !== "succeeded"; n++) {
          const [key = ""] = carried(shell)
          sent.push(key)
          if (n === when) shell.crash()
          else lands(shell)
        }
        const again = tool === "sure"
        expect(sent.length).toBe(again ? 4 : 3)
        expect(states(shell).filter((state) => state === "uncertain").length).toBe(again ? 0 : 1)
        expect(new Set(sent).size).toBe(3)
      }
  })

  test("[K32] before and after the question, and while it is open, nothing is lost", () => {
    const shell = shellOf("staged", { snapshotEvery: 2 })
    shell.reply("a", call("send", { to: "1" }))
    shell.crash()
    end(shell)
    shell.crash()
    expect(question(shell)).toBeDefined()
    commit(shell, { commit: "all" })
    lands(shell)
    expect([shell.run.status, states(shell)]).toEqual(["succeeded", ["confirmed"]])
  })
})
