// Where templates are expanded, seen in the model's request [F43], and what may call a model again [M4].

import { describe, expect, test } from "vitest"
import { agent, done, flow, Stand } from "../../../support/engine/stand.ts"

describe("places", () => {
  test("[F43] inputs are expanded first, without each other; then task and body see them", async () => {
    const steps =
      '  - id: a\n    type: agent\n    agent: a\n    task: "T ${{input.x}} ${{input.y}}"\n    inputs: { x: "${{task}}", y: "[${{input.x}}]" }\n'
    const stand = new Stand(flow(steps), ["---\nname: a\ndescription: a\nmodel: x/a\ninputs: [x, y]\n---\nBody ${{input.x}} ${{task}}\n"])
    stand.start("go ${{config.secret}}")
    const { request } = await stand.next("a")
    expect(request.messages[0]).toEqual({ role: "user", text: "T go ${{config.secret}} []" })
    expect(request.system).toContain("Body go ${{config.secret}} go ${{config.secret}}")
  })

  test("[F43] a fork's question and a flow's outputs are expanded too", async () => {
    const steps =
      '  - { id: q, type: fork, question: "For ${{task}}?", options: [x, y], branches: { x: a, y: b } }\n  - { id: a, type: agent, agent: a }\n  - { id: b, type: agent, agent: a }\n'
    const stand = new Stand(flow(steps, 'autonomous: false\noutputs: { said: "${{fork.q.answer}} by ${{result.a.summary}}" }\n'), [
      agent("a"),
    ])
    stand.start("me", false)
    expect(Object.values(stand.conductor.run.interactions)[0]?.payload["question"]).toBe("For me?")
    stand.conductor.tell({ type: "answer", id: "i1", body: { answer: "x" }, by: "t" })
    await (await stand.next("a")).answer(done("made"))
    expect(stand.conductor.run.output).toEqual({ said: "x by made" })
  })
})

test("[M4] a turn makes one request: the journal decides about a retry, not the provider", async () => {
  const stand = new Stand(flow("  - { id: a, type: agent, agent: a }\n"), [agent("a")])
  stand.start()
  await (await stand.next("a")).answer({ error: { status: 500, retryable: true } })
  expect(stand.asked).toHaveLength(0)
  expect(stand.types().slice(-2)).toEqual(["model.failed", "run.waiting"])
})

describe("room", () => {
  const big = "x".repeat(900_000)
  const times = (n: number): string => Array.from({ length: n }, () => "${{task}}").join(" ")

  test("[F40] a step's input has a size limit: the rest is cut, and a warning says so", async () => {
    const stand = new Stand(flow(`  - { id: a, type: agent, agent: a, task: "${times(300)}" }\n`), [agent("a")])
    stand.start(big)
    const { request } = await stand.next("a")
    expect(JSON.stringify(request).length).toBeLessThan(3_000_000)
    expect(stand.events().find((e) => e.type === "warning" && e.code === "template_cut")).toBeDefined()
  })

  test("[F43] all outputs of a flow share one size limit", async () => {
    const names = Array.from({ length: 300 }, (_, i) => `  o${i}: "\${{task}}"`).join("\n")
    const stand = new Stand(flow("  - { id: a, type: agent, agent: a, task: short }\n", `outputs:\n${names}\n`), [
      agent("a").replace("${{task}}", ""),
    ])
    stand.start(big)
    await (await stand.next("a")).answer(done())
    expect(stand.conductor.run.status).toBe("succeeded")
    expect(JSON.stringify(stand.conductor.run.output).length).toBeLessThan(3_000_000)
  })
})
