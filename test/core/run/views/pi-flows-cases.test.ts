// The 25 sharpest behavioral cases of pi-flows, as flow and agent files driven through the kernel.
//
// Every definition is parsed from text as a person would write it, not made by a builder.

import { describe, expect, test } from "vitest"
import { validateFlow } from "../../../../src/core/language/check-flow.ts"
import { parseAgent } from "../../../../src/core/language/parse-agent.ts"
import type { Agent } from "../../../../src/core/flow/agent.ts"
import { messages, systemPrompt } from "../../../../src/core/run/session/conversation.ts"
import { compile, type Plan } from "../../../../src/core/run/plan.ts"
import { TOOLS } from "../../../support/kernel/builders.ts"
import { call, choose, failed, finish, Shell, type StartOptions } from "../../../support/kernel/shell.ts"

const WORLD = { tools: new Set(TOOLS.map((t) => t.name)), skills: new Set<string>() }

function agentFrom(name: string, head = "", body = "${{task}}"): Agent {
  const tools = /^(?:tools|denied_tools):/m.test(head) ? "" : "tools: look, put\n"
  const { agent, diagnostics } = parseAgent(
    `---\nname: ${name}\ndescription: ${name}\nmodel: "@fast"\n${tools}${head}---\n${body}\n`,
    WORLD,
  )
  if (agent === undefined) throw new Error(JSON.stringify(diagnostics))
  return agent
}

const CAST = [agentFrom("worker"), agentFrom("judge"), agentFrom("flow-decision", "tools: []\n")]

function planFrom(text: string, cast: readonly Agent[] = []): Plan {
  const agents = new Map([...CAST, ...cast].map((a) => [a.name, a]))
  const { flow, diagnostics } = validateFlow(`name: f\ndescription: d\n${text}`, "f", { agents })
  if (flow === undefined) throw new Error(JSON.stringify(diagnostics))
  return compile({ flow, agents: Object.fromEntries(agents), skills: {}, tools: TOOLS })
}
const run = (text: string, cast: readonly Agent[] = [], options: StartOptions = {}): Shell => new Shell(planFrom(text, cast), options)

const step = (id: string, more = ""): string => `  - { id: ${id}, type: agent, agent: worker${more === "" ? "" : `, ${more}`} }\n`
const task = (shell: Shell, id: string): string | undefined => shell.state(id).session?.task
const refusals = (shell: Shell): string[] => shell.events("tool.refused").map((e) => e.code)

describe("wiring and order", () => {
  test("[F41] case 1: linear wiring, an output of the first in the message of the second", () => {
    const shell = run(`steps:\n  - { id: a, type: agent, agent: maker }\n${step("b", 'blockedBy: a, task: "use ${{result.a.out}}"')}`, [
      agentFrom("maker", "outputs: [out]\n"),
    ])
    shell.reply("a", finish({ out: "W42" }))
    expect(task(shell, "b")).toBe("use W42")
    shell.reply("b", finish())
    expect(shell.run.status).toBe("succeeded")
    expect(shell.statuses()).toEqual({ a: "complete", b: "complete" })
  })

  test("[F11] case 2: fan-in under a cap of two", () => {
    const shell = run(`max_concurrent: 2\nsteps:\n${step("a")}${step("b")}${step("c")}${step("d", "blockedBy: [a, b, c]")}`)
    expect(shell.running()).toEqual(["a", "b"])
    shell.reply("b", finish())
    expect(shell.running()).toEqual(["a", "c"])
    shell.reply("c", finish())
    expect(shell.running()).toEqual(["a"])
    shell.reply("a", finish())
    expect(shell.running()).toEqual(["d"])
    expect(shell.opened()).toEqual(["a", "b", "c", "d"])
  })
})

const LATER = `  - { id: gate, type: conditional, check: a.summary, present: b, absent: b }\n${step("b")}`

describe("failure", () => {
  test("[F31] case 3: an unhandled error ends the run", () => {
    const shell = run(`steps:\n${step("a")}${LATER}`)
    shell.reply("a", failed("x"))
    expect(shell.run).toMatchObject({ status: "failed", error: { step: "a", source: "agent_finish_error", message: "x" } })
    expect(shell.opened()).toEqual(["a"])
  })

  test("[F30] case 4: blocked goes to on_error, the steps between are skipped, the run succeeds", () => {
    const shell = run(
      `steps:\n${step("a", "on_error: h")}${LATER}  - { id: end, type: conditional, check: b.summary, present: h, absent: h }\n${step("h")}`,
    )
    shell.reply("a", finish({ status: "blocked", summary: "no key" }))
    expect(shell.statuses()).toMatchObject({ a: "blocked", gate: "skipped", b: "skipped", end: "skipped", h: "running" })
    shell.reply("h", finish())
    expect(shell.run.status).toBe("succeeded")
    expect(shell.state("a").result?.status).toBe("blocked")
  })

  test("[F31] case 5: hard beats on_error", () => {
    const shell = run(`steps:\n${step("a", "on_error: h")}${LATER}${step("h", "blockedBy: b")}`)
    for (let i = 0; i < 8; i++) {
      if (i > 0) shell.pass(shell.nextDue() ?? 0)
      shell.fail("a")
    }
    expect(shell.run).toMatchObject({ status: "failed", error: { source: "api_error" } })
    expect(shell.opened()).not.toContain("h")
  })

  test("[F31] case 6: a hard failure does not wait for its siblings, and is recorded once", () => {
    const shell = run(`steps:\n${step("a")}${step("b")}`)
    shell.fail("a", { retryable: false, status: 401, message: "bad key" })
    expect(shell.run.status).toBe("failed")
    expect(shell.statuses()).toMatchObject({ a: "error", b: "canceled" })
    expect(shell.keys()).toEqual([])
    expect(shell.events("run.ended").map((e) => [e.status, e.error?.step, e.error?.source])).toEqual([["failed", "a", "api_error"]])
  })
})

describe("finishing", () => {
  const one = (): Shell => run(`steps:\n${step("a")}`)

  test("[J22] case 7: an agent forgets finish, is reminded twice, and finishes", () => {
    const shell = one()
    shell.reply("a", "done")
    shell.reply("a", "really")
    shell.reply("a", finish())
    expect(shell.events("reminder.sent")).toHaveLength(2)
    expect(shell.run.status).toBe("succeeded")
  })

  test("[J22] case 8: an agent never finishes: two reminders, then a soft failure", () => {
    const shell = one()
    for (let i = 0; i < 3; i++) shell.reply("a", "done")
    expect(shell.events("reminder.sent")).toHaveLength(2)
    expect(shell.run).toMatchObject({ status: "failed", error: { source: "agent_no_finish" } })
    expect(shell.events("step.finished")[0]?.hard).toBeUndefined()
  })

  test("[G2] case 9: a malformed finish, then a valid one: the second is the result", () => {
    const shell = one()
    shell.reply("a", call("finish", { status: "complete" }))
    shell.reply("a", finish({ summary: "second" }))
    expect(shell.state("a").result?.summary).toBe("second")
    expect(shell.events("step.finished")).toHaveLength(1)
  })

  test("[G2] case 10: two finishes in one message: the first wins", () => {
    const shell = one()
    shell.reply("a", finish({ summary: "first" }), finish({ summary: "second" }))
    expect(shell.state("a").result?.summary).toBe("first")
    expect(refusals(shell)).toHaveLength(1)
  })

  test("[G3] case 11: a tool after finish is refused, and the result stands", () => {
    const shell = one()
    shell.reply("a", finish({ summary: "done" }), call("put"))
    expect(shell.events("tool.called")).toEqual([])
    expect(refusals(shell)).toHaveLength(1)
    expect(shell.run.status).toBe("succeeded")
  })

  test("[G1] case 12: an undeclared tool is refused with the list of declared tools, and the agent continues", () => {
    const shell = one()
    shell.reply("a", call("ghost"))
    const [refused] = shell.events("tool.refused")
    expect(refused?.code).toBe("undeclared")
    expect(refused?.reason).toContain("look, put, finish")
    shell.reply("a", finish())
    expect(shell.run.status).toBe("succeeded")
  })
})

describe("decisions", () => {
  const exclusive = `steps:
  - { id: pick, type: agent-decision, agent: judge, branches: { quick: quick, deep: deep } }
${step("quick")}${step("deep")}${step("report", 'blockedBy: [quick, deep], task: "[${{result.quick.summary}}] [${{result.deep.summary}}]"')}`

  test("[F13] case 13: a decision routes and excludes; a skipped step's result is empty", () => {
    const shell = run(exclusive)
    shell.reply("pick", choose("quick"))
    shell.reply("quick", finish({ summary: "fast" }))
    expect(task(shell, "report")).toBe("[fast] []")
    expect(shell.statuses()).toMatchObject({ quick: "complete", deep: "skipped", report: "running" })
    expect(shell.log.filter((e) => "step" in e && e.step === "deep").map((e) => e.type)).toEqual(["step.skipped"])
  })

  test("[F20] case 14: an unknown label is refused; without a valid label the run fails and names the labels", () => {
    const shell = run(exclusive)
    for (let i = 0; i < 3; i++) shell.reply("pick", choose("maybe"))
    expect(shell.run).toMatchObject({ status: "failed", error: { step: "pick", source: "no_branch" } })
    expect(shell.run.error?.message).toContain("quick, deep")
    expect(shell.opened()).toEqual(["pick"])
  })

  const loop = (max: number): string =>
    `steps:\n${step("body")}  - { id: l, type: agent-loop-decision, agent: judge, task: again?, loop_target: body, exit_target: end, max_iterations: ${max} }\n${step("end", 'task: "${{result.body.summary}}"')}`

  test("[F17] case 15: a loop exits early, and its template shows the iteration", () => {
    const shell = run(loop(3))
    shell.reply("body", finish())
    expect(task(shell, "l")).toContain("1 of 3")
    shell.reply("l", choose("loop"))
    shell.reply("body", finish())
    expect(task(shell, "l")).toContain("2 of 3")
    shell.reply("l", choose("exit"))
    expect(shell.opened()).toEqual(["body", "l", "body", "l", "end"])
    expect(shell.events("loop.iteration").map((e) => e.iteration)).toEqual([1, 2])
  })

  test("[F17] case 16: a loop at its cap exits after the third pass without a model call, with the result of the third pass", () => {
    const shell = run(loop(2))
    for (const pass of [1, 2, 3]) {
      shell.reply("body", finish({ summary: `pass ${pass}` }))
      if (pass < 3) shell.reply("l", choose("loop"))
    }
    expect(shell.running()).toEqual(["end"])
    expect(task(shell, "end")).toBe("pass 3")
    expect(shell.events("model.replied").filter((e) => e.step === "l")).toHaveLength(2)
    expect(shell.opened().filter((id) => id === "body")).toHaveLength(3)
  })

  test("[F19] case 17: a loop keeps the results of steps outside it", () => {
    const shell = run(
      `steps:\n${step("research")}${step("implement", 'blockedBy: research, task: "${{result.research.summary}}"')}  - { id: l, type: agent-decision, agent: judge, branches: { again: implement, good: end }, max_iterations: 2 }\n${step("end")}`,
    )
    shell.reply("research", finish({ summary: "facts" }))
    shell.reply("implement", finish())
    shell.reply("l", choose("again"))
    expect(shell.running()).toEqual(["implement"])
    expect(task(shell, "implement")).toBe("facts")
    expect(shell.state("research").result?.summary).toBe("facts")
  })
})

describe("people", () => {
  const asks = (more = ""): string => `autonomous: false
steps:
  - id: how
    type: fork
    question: How for \${{task}}?
    options: [quick, deep]
    branches: { quick: q, deep: d }
${more}${step("q")}${step("d")}  - { id: gate, type: conditional, check: d.summary, present: last, absent: last }
${step("last", 'task: "${{fork.how.answer}}: ${{fork.how.notes}}"')}`

  test("[F21] case 18: a person picks, with notes; only that branch runs, and reads the choice once", () => {
    const shell = run(asks(), [], { task: "tea" })
    shell.answer("i1", { answer: "deep", notes: "be brief" })
    expect(shell.running()).toEqual(["d"])
    const session = shell.state("d").session
    const prompt = session === undefined ? "" : systemPrompt(shell.plan, session, undefined)
    for (const word of ["How for tea?", "deep", "be brief"]) expect(prompt).toContain(word)
    shell.reply("d", finish())
    expect(shell.state("last").session?.preamble).toBeUndefined()
    expect(task(shell, "last")).toBe("deep: be brief")
    expect(shell.statuses()["q"]).toBe("skipped")
  })

  test("[F21] case 19: autonomous, a fork without an agent: the built-in decider chooses, and no person is asked", () => {
    const shell = run(asks(), [], { autonomous: true })
    expect(shell.pending()).toEqual([])
    expect(shell.events("step.opened")[0]?.agent).toBe("flow-decision")
    shell.reply("how", choose("quick"))
    expect(shell.events("branch.taken")[0]).toMatchObject({ step: "how", branch: "quick", by: "agent" })
    expect(shell.running()).toEqual(["q"])
  })

  test("[F21] case 19: not autonomous and no answer: the run waits, and says so", () => {
    const shell = run(asks())
    expect(shell.run).toMatchObject({ status: "waiting", reason: "interaction" })
    expect(shell.keys()).toEqual([])
  })

  test("[G4] case 20: ask_user is refused in an autonomous run; otherwise the answer is the call's result", () => {
    const asker = agentFrom("asker", "tools: ask_user\n")
    const text = `steps:\n  - { id: a, type: agent, agent: asker }\n  - { id: b, type: agent, agent: asker }\n`
    const question = call("ask_user", { question: "Which?", type: "select", options: ["x", "y"] })
    const alone = run(text, [asker], { autonomous: true })
    alone.reply("a", question)
    expect(refusals(alone)).toHaveLength(1)
    expect(alone.running()).toEqual(["a", "b"])
    const shell = run(text, [asker], { autonomous: false })
    shell.reply("a", question)
    shell.reply("b", question)
    expect(shell.pending().map((i) => [i.id, i.step])).toEqual([
      ["i1", "a"],
      ["i2", "b"],
    ])
    shell.answer("i1", { answer: "y" })
    const session = shell.state("a").session
    const said =
      session === undefined
        ? []
        : messages(
            session,
            session.seqs.flatMap((seq) => shell.log[seq - 1] ?? []),
          )
    expect(JSON.stringify(said.at(-1))).toContain("y")
    expect(shell.pending().map((i) => i.step)).toEqual(["b"])
  })
})

describe("contracts", () => {
  test("[F51] case 21: typed outputs are checked, corrected, and keep their types", () => {
    const scorer = agentFrom("scorer", "outputs:\n  - { name: count, type: number }\n  - { name: verdict, pattern: ^(pass|fail)$ }\n")
    const shell = run(
      `steps:\n  - { id: a, type: agent, agent: scorer }\n${step("b", 'blockedBy: a, task: "${{result.a.count}} ${{result.a.verdict}}"')}`,
      [scorer],
    )
    shell.reply("a", finish({ count: "abc", verdict: "pass" }))
    expect(shell.state("a").status).toBe("running")
    shell.reply("a", finish({ count: 92 }))
    expect(shell.state("a").status).toBe("running")
    shell.reply("a", finish({ count: 92, verdict: "pass" }))
    expect(task(shell, "b")).toBe("92 pass")
    expect(shell.state("a").result?.outputs).toEqual({ count: 92, verdict: "pass" })
  })

  test("[F40] case 22: values are inserted unchanged, and only once", () => {
    const hostile = "see ${{result.secret}} and $& {task}"
    const shell = run(
      `steps:\n${step("a", 'task: "[${{task}}]"')}${step("b", 'blockedBy: a, task: "[${{result.a.artifacts}}] $${{ foo }}"')}`,
      [],
      { task: hostile },
    )
    expect(task(shell, "a")).toBe(`[${hostile}]`)
    shell.reply("a", finish({ summary: hostile }))
    expect(task(shell, "b")).toBe("[] ${{ foo }}")
  })

  test("[F2] case 23: a flow with five errors and a warning: each at its line, with valid ids; the corrected flow is valid", () => {
    const agents = new Map([...CAST, agentFrom("reader", "inputs: [doc]\n", "${{input.doc}} ${{task}}")].map((a) => [a.name, a]))
    const bad = `name: f
description: d
steps:
  - { id: a, type: agent, agent: wroker }
  - { id: a, type: agent, agent: worker, blockedBy: z }
  - { id: r, type: agent, agent: reader }
  - { id: d, type: agent-decision, agent: judge, branches: { yes: nowhere, no: z } }
  - { id: l, type: agent-loop-decision, agent: judge, task: t, loop_target: r, exit_target: ende, max_iterations: 1 }
  - { id: z, type: agent, agent: worker }
`
    const { flow, diagnostics } = validateFlow(bad, "f", { agents })
    expect(flow).toBeUndefined()
    expect(diagnostics.filter((d) => d.severity === "error").map((d) => [d.code, d.line])).toEqual([
      ["FV-AGENT", 4],
      ["FV-ID-DUP", 5],
      ["FV-BLOCK-ORDER", 5],
      ["FV-BRANCH", 7],
      ["FV-EXIT-TARGET", 8],
    ])
    expect(diagnostics.filter((d) => d.severity === "warning").map((d) => [d.code, d.line])).toEqual([["FV-IN-UNWIRED", 6]])
    for (const code of ["FV-BRANCH", "FV-EXIT-TARGET"])
      expect(diagnostics.find((d) => d.code === code)?.suggestion).toContain("known: a, r, d, l, z")
    const good = bad
      .replace("wroker", "worker")
      .replace("id: a, type: agent, agent: worker, blockedBy: z", "id: b, type: agent, agent: worker")
      .replace("nowhere", "l")
      .replace("ende", "z")
    const mended = validateFlow(good, "f", { agents })
    expect(mended.flow).toBeDefined()
    expect(mended.diagnostics.map((d) => `${d.severity} ${d.code}`)).toContain("warning FV-IN-UNWIRED")
  })
})

describe("ends", () => {
  const two = `autonomous: false\nsteps:\n  - { id: a, type: agent, agent: asker }\n${step("b")}`
  const asker = agentFrom("asker", "tools: ask_user\n")

  test("[F34] case 24: canceled midway: steps marked, questions withdrawn, one terminal event, and a crash adds nothing", () => {
    const shell = run(two, [asker])
    shell.reply("a", call("ask_user", { question: "Well?", type: "confirm" }))
    expect(shell.tell({ type: "cancel", by: "ann" }).ok).toBe(true)
    expect(shell.run.status).toBe("canceled")
    expect(shell.statuses()).toEqual({ a: "canceled", b: "canceled" })
    expect(shell.pending()).toEqual([])
    shell.crash()
    shell.crash()
    expect(shell.events("run.ended")).toHaveLength(1)
  })

  test("[J10] case 24: killed midway, the run continues, unlike in pi-flows", () => {
    const shell = run(`steps:\n${step("a")}`)
    const before = shell.run.seq
    shell.crash()
    expect(shell.run.status).toBe("running")
    shell.reply("a", finish())
    expect(shell.run.status).toBe("succeeded")
    expect(shell.run.seq).toBeGreaterThan(before)
  })

  test("[J7] case 25: a second start of the same run is refused with a reason, and changes nothing", () => {
    const shell = run(`steps:\n${step("a")}`)
    const [started] = shell.events("run.started")
    if (started === undefined) throw new Error("the run did not start")
    const { seq: _seq, at: _at, v: _v, prev: _prev, ...fact } = started
    const events = shell.log.length
    const again = shell.tell({ type: "start", started: fact })
    expect(again.ok ? "taken" : again.error.code).toBe("already_started")
    expect(shell.log).toHaveLength(events)
  })
})

describe("three more cases", () => {
  test("[F22] a condition on a skipped step finds no value", () => {
    const shell = run(
      `steps:\n  - { id: pick, type: agent-decision, agent: judge, branches: { x: x, y: y } }\n${step("x")}${step("y")}  - { id: c, type: conditional, check: y.summary, present: full, absent: empty }\n${step("full")}${step("empty")}`,
    )
    shell.reply("pick", choose("x"))
    shell.reply("x", finish())
    expect(shell.running()).toEqual(["empty"])
  })

  test("[F12] a step that waits for a failed and handled step still runs", () => {
    const shell = run(`steps:\n${step("a", "on_error: h")}${step("h")}${step("b", "blockedBy: h")}`)
    shell.reply("a", failed())
    shell.reply("h", finish())
    expect(shell.running()).toEqual(["b"])
  })

  test("[F10] two steps of one agent are two sessions", () => {
    const shell = run(`steps:\n${step("a", "task: one")}${step("b", "task: two")}`)
    expect([task(shell, "a"), task(shell, "b")]).toEqual(["one", "two"])
  })
})
