// Agents with `finalizer: subagent_finalize`: one guard, two schemas (rows B8 to B11 of docs/PARITY.md).

import { describe, expect, test } from "vitest"
import type { Agent } from "../../../../src/core/flow/agent.ts"
import type { JsonObject } from "../../../../src/core/json.ts"
import { systemPrompt } from "../../../../src/core/run/session/conversation.ts"
import { schemaFor } from "../../../../src/core/run/session/finish.ts"
import { validateArgs } from "../../../../src/core/schema/validate-args.ts"
import { agent, agentOf, decision, flowOf, planOf } from "../../../support/kernel/builders.ts"
import { call, finish, Shell, type Call } from "../../../support/kernel/shell.ts"

const closer = (more: Partial<Agent> = {}): Agent => agentOf("worker", { finalizer: "subagent_finalize", ...more })
const one = (more: Partial<Agent> = {}): Shell => new Shell(planOf(flowOf([agent("a")]), [closer(more)]))
const end = (args: JsonObject): Call => ({ name: "subagent_finalize", args })
const success = (more: JsonObject = {}): Call => end({ status: "SUCCESS", result: "found it", ...more })
const refusals = (shell: Shell) => shell.events("tool.refused").map((e) => [e.callId, e.code])

describe("the finalizer", () => {
  test("[G1] B8 the session is granted subagent_finalize and no finish; a call of finish is refused like any undeclared tool", () => {
    const shell = one()
    expect(shell.events("step.opened")[0]?.tools.filter((t) => /fini|final/.test(t))).toEqual(["subagent_finalize"])
    shell.reply("a", finish())
    expect(refusals(shell)).toEqual([["c0", "undeclared"]])
    expect(shell.events("tool.refused")[0]?.reason).toContain("subagent_finalize")
    expect(shell.state("a").status).toBe("running")
    const other = new Shell(planOf(flowOf([agent("a")])))
    other.reply("a", success())
    expect(refusals(other)).toEqual([["c0", "undeclared"]])
  })

  test("[G2] B8 SUCCESS is complete with the result as summary", () => {
    const shell = one()
    shell.reply("a", success())
    expect(shell.events("step.finished")).toMatchObject([{ status: "complete", summary: "found it", files: [], outputs: {} }])
    expect(shell.run.status).toBe("succeeded")
  })

  test("[G2] B9 ERROR is an error with its partial result as artifacts", () => {
    const shell = one()
    shell.reply("a", end({ status: "ERROR", error: "no luck", result: "half" }))
    expect(shell.events("step.finished")).toMatchObject([
      { status: "error", summary: "no luck", artifacts: "half", source: "agent_finish_error" },
    ])
  })

  test.each<[string, JsonObject, string]>([
    ["no status", { result: "x" }, "status"],
    ["a status of the other finalizer", { status: "complete", result: "x" }, "status"],
    ["SUCCESS without a result", { status: "SUCCESS" }, "result"],
    ["SUCCESS with nothing but white space", { status: "SUCCESS", result: " \n\t" }, "result"],
    ["SUCCESS with an error instead", { status: "SUCCESS", error: "x" }, "result"],
    ["ERROR without an error", { status: "ERROR", result: "half" }, "error"],
    ["ERROR with an empty error", { status: "ERROR", error: "  " }, "error"],
    ["a field that nobody knows", { status: "SUCCESS", result: "x", summary: "y" }, "summary"],
    ["a result that is no text", { status: "SUCCESS", result: { a: 1 } }, "result"],
  ])("[G2] B9 %s is refused by name, and the agent may try again", (_name, args, field) => {
    const shell = one()
    shell.reply("a", end(args))
    expect(JSON.stringify(shell.events("finish.rejected")[0]?.errors)).toContain(field)
    shell.reply("a", success())
    expect(shell.run.status).toBe("succeeded")
  })

  test("[G3] nothing runs after the finalizer, and the first call counts", () => {
    const shell = one()
    shell.reply("a", call("look"), success(), call("post"), success({ result: "second" }))
    expect(refusals(shell)).toEqual([
      ["c2", "after_finish"],
      ["c3", "after_finish"],
    ])
    expect(shell.events("tool.refused")[0]?.reason).toContain("subagent_finalize")
    shell.returns("a", "c0")
    expect(shell.events("step.finished")).toMatchObject([{ summary: "found it" }])
  })

  test("[J22] B10 text-only turns and empty results share one allowance; the reminder names the tool and its fields", () => {
    const shell = one()
    shell.reply("a", "here is my answer")
    expect(shell.events("reminder.sent")[0]?.message).toMatch(/subagent_finalize.*status.*SUCCESS.*ERROR.*result.*error/)
    shell.reply("a", end({ status: "SUCCESS", result: " " }))
    shell.reply("a", success())
    expect(shell.events("step.opened")).toHaveLength(1)
    expect(shell.run.status).toBe("succeeded")
  })

  test("[J22] B11 after two more tries the step fails, and the last problem is named", () => {
    const shell = one()
    shell.reply("a", "talk")
    shell.reply("a", "talk")
    shell.reply("a", end({ status: "SUCCESS", result: "" }))
    expect(shell.events("step.finished")).toMatchObject([
      { source: "agent_no_finish", summary: expect.stringMatching(/\/result must not be empty/) },
    ])
    const talker = one()
    for (let i = 0; i < 3; i++) talker.reply("a", "talk")
    expect(talker.events("step.finished")).toMatchObject([
      { source: "agent_no_finish", summary: expect.stringContaining("subagent_finalize") },
    ])
  })

  test("[G5] a decision needs a branch with SUCCESS, but not with ERROR", () => {
    const steps = [decision("d", { left: "x", right: "y" }), agent("x"), agent("y", { on_complete: "y" })]
    const shell = new Shell(planOf(flowOf([...steps.slice(0, 2), agent("y")]), [closer()]))
    shell.reply("d", success())
    expect(JSON.stringify(shell.events("finish.rejected")[0]?.errors)).toMatch(/branch.*left, right/)
    shell.reply("d", success({ branch: "left" }))
    expect(shell.events("branch.taken")).toMatchObject([{ branch: "left", target: "x" }])
    const lost = new Shell(planOf(flowOf([...steps.slice(0, 2), agent("y")]), [closer()]))
    lost.reply("d", end({ status: "ERROR", error: "cannot tell" }))
    expect(lost.events("step.finished")).toMatchObject([{ status: "error", summary: "cannot tell" }])
  })

  test("[F51] declared outputs are required with SUCCESS, but not with ERROR", () => {
    const outputs = [{ name: "score", type: "number", required: true }] as const
    const shell = one({ outputs })
    shell.reply("a", success())
    expect(JSON.stringify(shell.events("finish.rejected")[0]?.errors)).toContain("score")
    shell.reply("a", success({ score: "5" }))
    expect(shell.state("a").result?.outputs).toEqual({ score: 5 })
    const lost = one({ outputs })
    lost.reply("a", end({ status: "ERROR", error: "no" }))
    expect(lost.events("step.finished")).toMatchObject([{ status: "error" }])
  })

  test("[J21] the prompt describes how to end with the finalizer", () => {
    const shell = one()
    const session = shell.state("a").session
    const prompt = session ? systemPrompt(shell.plan, session, undefined) : ""
    expect(prompt).toContain("`subagent_finalize`")
    expect(prompt).not.toContain("`finish`")
  })

  test("[G2] the schema that the model sees accepts every valid finish", () => {
    const plan = planOf(flowOf([agent("a")]), [closer()])
    const [step] = plan.flow.steps
    const worker = plan.agents["worker"]
    if (!step || !worker) throw new Error("no step")
    const schema = schemaFor(worker, step)
    for (const args of [success().args, { status: "ERROR", error: "e" }, { status: "ERROR", error: "e", result: "r" }])
      expect(validateArgs(schema, args).ok).toBe(true)
    expect(schemaFor(worker, step)).toBe(schema)
  })
})
