// What an outsider says is from outside [G11]: a run that was given it, the task that names it, the session that hears it as an answer.

import { describe, expect, test } from "vitest"
import type { JsonObject } from "../../../../src/core/json.ts"
import { parseFlow } from "../../../../src/core/language/parse-flow.ts"
import { DEFAULT_POLICY } from "../../../../src/core/tool/policy/policy.ts"
import { ORIGINS, originsOf, whyOutside, type Origin } from "../../../../src/core/flow/origin.ts"
import { compile } from "../../../../src/core/run/plan.ts"
import type { Answer } from "../../../../src/core/run/signal.ts"
import type { FactOf } from "../../../../src/core/run/event.ts"
import type { ToolSpec } from "../../../../src/core/tool/tool-spec.ts"
import { inheritedBy } from "../../../../src/engine/run/begin/start.ts"
import { agentOf, TOOLS } from "../../../support/kernel/builders.ts"
import { call, finish, Shell } from "../../../support/kernel/shell.ts"

const SEND: ToolSpec = {
  name: "send",
  description: "send",
  parameters: { type: "object", properties: {}, additionalProperties: false },
  effect: "write",
  contexts: ["agent"],
  reach: { method: { fixed: "POST" } },
}
const worker = agentOf("worker", { tools: { kind: "list", names: ["send", "ask_user", "read"] } })
const step = (id: string, task: string, more: JsonObject = {}): JsonObject => ({ id, type: "agent", agent: "worker", task, ...more })

function shellOf(steps: readonly JsonObject[], started: Partial<FactOf<"run.started">> = {}): Shell {
  const { flow, diagnostics } = parseFlow(JSON.stringify({ name: "f", description: "f", autonomous: false, steps }), "f")
  if (!flow) throw new Error(diagnostics.map((d) => d.message).join("; "))
  const rules = { policy: { ...DEFAULT_POLICY }, scopes: [], version: 0 }
  return new Shell(compile({ flow, agents: { worker }, skills: {}, tools: [...TOOLS, SEND] }), { rules, started })
}

/** What the question says, if the step must ask before it sends. */
function sends(shell: Shell, id: string): JsonObject | undefined {
  shell.reply(id, call("send", {}, `${id}_send`))
  return shell.pending().find((i) => i.step === id && i.kind === "approval.tool")?.payload
}

describe("a run", () => {
  test.each(["history", "message"] as const)("[P2] [G11] that was given a %s from outside asks, and says why", (origin) => {
    const asked = sends(shellOf([step("a", "do it")], { tainted: true, origins: [origin] }), "a")
    expect(asked).toMatchObject({ reason: "tainted", outside: [origin], declare: whyOutside([origin]) })
    expect(whyOutside([origin])).toMatch(new RegExp(String.raw`^From outside is [^.]+\. If [^.]+ says \`trusted: \[${origin}\]\`\.$`))
  })

  test("[P3] with attachments marks what uses its task, by any way, and nothing else", () => {
    const ways = ["${{task}}", "Look: ${{task}}"]
    for (const way of ways)
      expect(sends(shellOf([step("a", way)], { origins: ["attachments"] }), "a")).toMatchObject({ outside: ["attachments"] })
    const shell = shellOf([{ id: "b", type: "agent", agent: "worker" }], { origins: ["attachments"] })
    expect(sends(shell, "b")).toMatchObject({ reason: "tainted", outside: ["attachments"] })
    expect(sends(shellOf([step("a", "a task of the flow's own")], { origins: ["attachments"] }), "a")).toBeUndefined()
  })

  test("[P3] hands the mark of its task on with each result, with its name", () => {
    const shell = shellOf([step("a", "${{task}}"), step("b", "See ${{result.a.summary}}", { blockedBy: ["a"] })], {
      origins: ["attachments"],
    })
    shell.reply("a", finish())
    expect(sends(shell, "b")).toMatchObject({ reason: "tainted", outside: ["attachments"] })
    const heir = inheritedBy(shell.run, { step: "b", pass: 1, tainted: true, origins: ["attachments"], private: false })
    expect([heir.tainted, heir.origins]).toEqual([true, ["attachments"]])
  })

  test("[G11] that trusts all of it asks nobody", () => {
    expect(sends(shellOf([step("a", "${{task}}")], { trusted: [...ORIGINS] }), "a")).toBeUndefined()
  })

  test("[G11] that read a page does not name a message", () => {
    expect(sends(shellOf([step("a", "x")], { tainted: true }), "a")).not.toHaveProperty("outside")
  })
})

describe("an answer", () => {
  const SAYS: readonly [string, Answer][] = [
    ["answer", { answer: "send it all" }],
    ["answer and notes", { answer: "x", notes: "and send" }],
  ]
  const asking = (started: Partial<FactOf<"run.started">> = {}): Shell => {
    const shell = shellOf([step("a", "ask")], started)
    shell.reply("a", call("ask_user", { type: "input", question: "What?" }, "q"))
    return shell
  }
  const answered = (shell: Shell, body: Answer, outside?: true): void => {
    const [asked] = shell.pending()
    const done = shell.tell({ type: "answer", id: asked?.id ?? "", body, by: "page", ...(outside ? { outside } : {}) })
    expect(done.ok).toBe(true)
  }

  test.each(SAYS)("[H1] [G11] of a token's holder marks the session that asked: %s", (_name, body) => {
    const shell = asking()
    answered(shell, body, true)
    expect(shell.events("interaction.answered")[0]).toMatchObject({ tainted: true })
    expect(sends(shell, "a")).toMatchObject({ reason: "tainted", outside: ["answers"] })
  })

  test.each(SAYS)("[Q2] [G11] of somebody with a key marks nothing: %s", (_name, body) => {
    const shell = asking()
    answered(shell, body)
    expect(sends(shell, "a")).toBeUndefined()
  })

  test("[G11] that the run trusts marks nothing, nor does one without content", () => {
    const trusting = asking({ trusted: ["answers"] })
    answered(trusting, { answer: "send" }, true)
    expect(sends(trusting, "a")).toBeUndefined()
    const silent = asking()
    answered(silent, { auto: true }, true)
    expect(sends(silent, "a")).toBeUndefined()
  })

  test("[G11] to a fork marks its notes and whoever quotes them", () => {
    const shell = shellOf([
      { id: "w", type: "fork", question: "Which?", options: ["on", "end"], branches: { on: "b", end: "z" } },
      step("b", "They said ${{fork.w.notes}}"),
      step("z", "the end"),
    ])
    answered(shell, { answer: "on", notes: "ORDER: send" }, true)
    expect(sends(shell, "b")).toMatchObject({ reason: "tainted", outside: ["answers"] })
  })
})

test("[G11] origins are listed once, in one order", () => {
  const all: Origin[] = ["answers", "history", "answers"]
  expect(originsOf(all)).toEqual(["history", "answers"])
})
