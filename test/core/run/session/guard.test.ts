// The guard: what an agent may call, with which arguments, and that nothing runs after its finish.

import { describe, expect, test } from "vitest"
import { DEFAULT_POLICY } from "../../../../src/core/tool/policy/policy.ts"
import { grantOf } from "../../../../src/core/run/session/grant.ts"
import { compile } from "../../../../src/core/run/plan.ts"
import type { Agent } from "../../../../src/core/flow/agent.ts"
import { agent, agentOf, decision, flowOf, planOf, TOOLS } from "../../../support/kernel/builders.ts"
import { call, choose, finish, Shell, type Call } from "../../../support/kernel/shell.ts"

const one = (more: Partial<Agent> = {}, autonomous = true): Shell =>
  new Shell(planOf(flowOf([agent("a")], { autonomous }), [agentOf("worker", more)]))
const refusals = (shell: Shell) => shell.events("tool.refused").map((e) => [e.callId, e.code])
const ran = (shell: Shell) => shell.events("tool.called").map((e) => e.callId)

describe("the grant", () => {
  test("[G1] a tool outside the grant is refused with the list of allowed tools, and the session continues", () => {
    const shell = one({ tools: { kind: "list", names: ["look"] } })
    shell.reply("a", call("ghost"), call("look"), call("phantom"))
    expect(refusals(shell)).toEqual([
      ["c0", "undeclared"],
      ["c2", "undeclared"],
    ])
    expect(shell.events("tool.refused")[0]?.reason).toContain("look, finish")
    expect(ran(shell)).toEqual(["c1"])
    shell.returns("a", "c1")
    shell.reply("a", finish())
    expect(shell.run.status).toBe("succeeded")
  })

  test("[G1] the grant is stored on the step when it opens", () => {
    const shell = one({ tools: { kind: "list", names: ["look", "phantom"] } }, false)
    expect(shell.events("step.opened")[0]?.tools).toEqual(["look", "ask_user", "finish"])
  })

  test("[F53] without a list only finish is granted, and with skills also skill_read", () => {
    const plan = planOf(flowOf([agent("a")]))
    expect(grantOf(plan, agentOf("x", { tools: { kind: "list", names: [] } }), true, DEFAULT_POLICY)).toEqual(["finish"])
    expect(grantOf(plan, agentOf("x", { tools: { kind: "list", names: [] }, skills: ["s"] }), true, DEFAULT_POLICY)).toEqual([
      "skill_read",
      "finish",
    ])
  })

  test("[F53] an inheriting agent gets every tool for agents except denied tools, ask_user and architect tools", () => {
    const plan = planOf(flowOf([agent("a")]))
    expect(
      grantOf(plan, agentOf("x", { tools: { kind: "inherit", denied: ["post", "ghost", "read", "save"] } }), true, DEFAULT_POLICY),
    ).toEqual(["look", "put", "finish"])
  })

  test("[G8] a tool of another role is refused even when declared", () => {
    const shell = one({ tools: { kind: "list", names: ["build"] } })
    shell.reply("a", call("build"))
    expect(refusals(shell)).toEqual([["c0", "role"]])
    const architect = one({ tools: { kind: "list", names: ["build"] }, role: "architect" })
    architect.reply("a", call("build"))
    expect(ran(architect)).toEqual(["c0"])
  })

  test("[G4] ask_user in an autonomous run is refused: decide yourself", () => {
    const shell = one({ tools: { kind: "list", names: ["ask_user"] } })
    shell.reply("a", call("ask_user", { question: "May I?", type: "confirm" }))
    expect(refusals(shell)).toEqual([["c0", "autonomous"]])
    expect(shell.events("interaction.asked")).toEqual([])
  })
})

describe("finish", () => {
  test("[G2] an invalid finish names every missing or wrong field, and the agent may try again", () => {
    const shell = one({ outputs: [{ name: "score", type: "number", required: true }] })
    shell.reply("a", { name: "finish", args: { status: "done", extra: 1 } })
    const paths = JSON.stringify(shell.events("finish.rejected")[0]?.errors)
    for (const word of ["status", "summary", "score", "extra"]) expect(paths).toContain(word)
    shell.reply("a", finish({ score: "5" }))
    expect(shell.state("a").result?.outputs).toEqual({ score: 5 })
  })

  test("[G2] the first accepted finish wins, in the order of the message", () => {
    const shell = one()
    shell.reply("a", finish({ summary: "first" }), finish({ summary: "second" }))
    expect(shell.events("step.finished")).toMatchObject([{ summary: "first" }])
    expect(refusals(shell)).toEqual([["c1", "after_finish"]])
  })

  test("[G2] a rejected finish does not latch: the next finish in the same message may", () => {
    const shell = one()
    shell.reply("a", { name: "finish", args: {} }, finish({ summary: "second" }))
    expect(shell.events("step.finished")).toMatchObject([{ summary: "second" }])
  })

  test("[G3] [write, finish, write]: the first write runs, the second never does, the step ends when the first returns", () => {
    const shell = one()
    shell.reply("a", call("post"), finish(), call("post", { n: 2 }))
    expect(refusals(shell)).toEqual([["c2", "after_finish"]])
    expect(shell.keys()).toEqual(["a/1/0/tool/c0"])
    expect(shell.state("a").status).toBe("running")
    shell.returns("a", "c0")
    expect(shell.state("a").status).toBe("complete")
    expect(ran(shell)).toEqual(["c0"])
  })

  test("[G3] after finish, every signal for a call of that step is stale", () => {
    const shell = new Shell(planOf(flowOf([agent("a"), agent("b")])))
    shell.reply("a", call("look"))
    const key = shell.flying("a", "/tool/c0")
    shell.returns("a", "c0")
    shell.reply("a", finish())
    expect(shell.tell({ type: "tool.result", key, result: { isError: false, content: [], digest: "d" } })).toEqual({
      ok: false,
      error: { code: "stale" },
    })
  })

  test("[G2] a finish whose arguments are not a JSON object is refused", () => {
    const shell = one()
    shell.reply("a", { name: "finish", args: "complete!" })
    expect(shell.events("finish.rejected")).toHaveLength(1)
    expect(shell.state("a").status).toBe("running")
  })

  test("[G5] branch is required and enumerated where the step decides", () => {
    const shell = new Shell(planOf(flowOf([decision("d", { x: "a", y: "a" }), agent("a")])))
    shell.reply("d", finish())
    expect(JSON.stringify(shell.events("finish.rejected")[0]?.errors)).toContain("branch")
    shell.reply("d", choose("x"))
    expect(shell.running()).toEqual(["a"])
  })

  test("[F51] an untyped output may be left out; only declared outputs are kept", () => {
    const shell = one({ outputs: [{ name: "note", type: "string", required: false }] })
    shell.reply("a", finish({ note: "n" }))
    expect(shell.state("a").result?.outputs).toEqual({ note: "n" })
  })

  test("[F51] error and blocked need no outputs", () => {
    const shell = one({ outputs: [{ name: "score", type: "number", required: true }] })
    shell.reply("a", { name: "finish", args: { status: "blocked", summary: "no key" } })
    expect(shell.state("a").status).toBe("blocked")
  })
})

describe("arguments", () => {
  test("[G6] arguments that fit after coercion run coerced", () => {
    const shell = one()
    shell.reply("a", call("look", { n: "5" }))
    expect(shell.events("tool.called")[0]?.args).toEqual({ n: 5 })
  })

  test("[G6] invalid arguments are refused with path and message: wrong type, unknown property, not an object", () => {
    const shell = one()
    const wrong: Call[] = [
      call("look", { n: "five" }),
      call("look", {}),
      call("look", { n: 1, m: 2 }),
      call("look", "[1]"),
      call("look", "not json"),
    ]
    shell.reply("a", ...wrong)
    expect(refusals(shell).map(([, code]) => code)).toEqual(Array(5).fill("invalid_args"))
    expect(shell.events("tool.refused")[0]?.reason).toContain("n")
    expect(ran(shell)).toEqual([])
  })

  test("[G6] arguments over 256 KiB or deeper than 64 are refused, and the journal does not keep them", () => {
    const shell = one()
    const deep = `${'{"n":'.repeat(70)}1${"}".repeat(70)}`
    shell.reply("a", call("look", JSON.stringify({ n: "x".repeat(300_000) })), call("look", deep))
    expect(refusals(shell).map(([, code]) => code)).toEqual(["invalid_args", "invalid_args"])
    expect(JSON.stringify(shell.log).length).toBeLessThan(10_000)
  })

  test("[G7] a path that is written as a mention is judged as the file that the tool opens", () => {
    const shell = one({ access: { read: ["docs/**"] } })
    shell.reply("a", call("read", { path: "@docs/a.md" }, "c0"), call("read", { path: "@secret/a.md" }, "c1"))
    expect(shell.events("tool.refused").map((e) => [e.callId, e.code])).toEqual([["c1", "access"]])
  })

  test("[Q2] a question of kind select without options is refused, because it has no answer", () => {
    const shell = one({ tools: { kind: "list", names: ["ask_user"] } }, false)
    shell.reply("a", call("ask_user", { question: "Which?", type: "select" }, "c0"))
    expect(shell.events("tool.refused")[0]).toMatchObject({ code: "invalid_args", reason: expect.stringContaining("needs the options") })
    expect(shell.events("interaction.asked")).toEqual([])
  })

  test("[G7] a path outside the agent's globs is refused in every spelling", () => {
    const shell = one({ access: { read: ["docs/**"], write: ["out/*"] } })
    shell.reply(
      "a",
      call("read", { path: "docs/../secret.md" }),
      call("read", { path: "./docs//a.md" }),
      call("save", { path: "out/deep/a" }),
      call("save", { path: "out/a" }),
      call("read", { path: "../etc" }),
    )
    expect(refusals(shell)).toEqual([
      ["c0", "access"],
      ["c2", "access"],
      ["c4", "access"],
    ])
    expect(ran(shell)).toEqual(["c1"])
    shell.returns("a", "c1")
    expect(ran(shell)).toEqual(["c1", "c3"])
  })

  test("[G10] an error inside the guard refuses the call", () => {
    const broken = {
      ...TOOLS[0],
      name: "look",
      description: "",
      effect: "read" as const,
      contexts: ["agent" as const],
      parameters: {},
      get paths(): never {
        throw new Error("boom")
      },
    }
    const { flow, agents } = planOf(flowOf([agent("a")]))
    const plan = compile({ flow, agents, skills: {}, tools: [broken] })
    const shell = new Shell(plan)
    shell.reply("a", call("look"))
    expect(refusals(shell)).toEqual([["c0", "policy"]])
    expect(ran(shell)).toEqual([])
  })
})

describe("repetition", () => {
  const look = (shell: Shell, n: number, text: string): void => {
    shell.reply("a", call("look", { n }))
    shell.returns("a", "c0", text)
  }

  test("[G9] the same call with the same result five times in a row ends the step, softly", () => {
    const shell = one()
    for (let i = 0; i < 4; i++) look(shell, 1, "same")
    expect(shell.state("a").status).toBe("running")
    look(shell, 1, "same")
    expect(shell.run).toMatchObject({ status: "failed", error: { step: "a", source: "agent_stuck" } })
    expect(shell.events("step.finished")[0]?.hard).toBeUndefined()
  })

  test("[G9] another result or other arguments restart the count: polling for a change is allowed", () => {
    const shell = one()
    for (let i = 0; i < 12; i++) look(shell, 1, i % 4 === 3 ? `new ${i}` : "same")
    for (let i = 0; i < 12; i++) look(shell, i % 4 === 3 ? 2 : 1, "same")
    expect(shell.state("a").status).toBe("running")
  })

  test("[G9] in one message results count in the model's order, not in the order of return", () => {
    const six = [1, 1, 1, 2, 1, 1].map((n) => call("look", { n }))
    for (const order of [
      [0, 1, 2, 3, 4, 5],
      [0, 1, 2, 4, 5, 3],
      [3, 5, 4, 2, 1, 0],
    ]) {
      const shell = one()
      shell.reply("a", ...six)
      for (const i of order) shell.returns("a", `c${i}`, "same")
      expect(shell.state("a").session?.repeat.count).toBe(2)
      look(shell, 1, "same")
      look(shell, 1, "same")
      expect(shell.state("a").status).toBe("running")
      look(shell, 1, "same")
      expect(shell.state("a").result?.source).toBe("agent_stuck")
    }
  })

  test("[G9] five in a row in the middle of a message count; they do not undo an accepted finish", () => {
    const five = Array.from({ length: 5 }, () => call("look", { n: 1 }))
    const stuck = one()
    stuck.reply("a", ...five, call("look", { n: 2 }))
    for (let i = 5; i >= 0; i--) stuck.returns("a", `c${i}`, "same")
    expect(stuck.state("a").result?.source).toBe("agent_stuck")
    const done = one()
    done.reply("a", ...five, finish())
    for (let i = 0; i < 5; i++) done.returns("a", `c${i}`, "same")
    expect(done.run.status).toBe("succeeded")
  })
})
