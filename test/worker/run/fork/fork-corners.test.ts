// Forks in the corners of [K7, K8, K10]: run again what was itself a fork, places that are not there, and a cut at the question about kept calls.

import { beforeAll, describe, expect, test } from "vitest"
import type { RunView } from "../../../../src/core/run/views/view.ts"
import { agent, ask, call, ended, eventsOf, flow, runOf, until } from "../../../support/worker/house.ts"

const note = (content: string) => ({ calls: [{ tool: "memory.write", args: { namespace: "corners", content } }] })
const done = { finish: { status: "complete", summary: "done" } }

beforeAll(async () => {
  await ask("PUT", "/v1/settings/providers/corner", { kind: "scripted", turns: { keeper: [note("kept"), done], step: [done] } })
  await ask("PUT", "/v1/catalog", {
    agents: {
      "step.md": agent("step").replace("rehearsal/default", "corner/step"),
      "keeper.md": agent("keeper", "memory.write").replace("rehearsal/default", "corner/keeper"),
    },
    flows: {
      "two.yaml": flow(
        "two",
        '  - { id: a, type: agent, agent: step, task: "${{task}} ${{flow.input.name}}" }\n  - { id: c, type: conditional, check: a.summary, present: x, absent: y }\n  - { id: x, type: agent, agent: step }\n  - { id: y, type: agent, agent: step }\n',
        "inputs:\n  name: { type: string, default: nobody }\n",
      ),
      "child.yaml": flow("child", "  - { id: k, type: agent, agent: keeper }\n"),
      "keeps.yaml": flow("keeps", "  - { id: k, type: agent, agent: keeper }\n"),
      "both.yaml": flow("both", "  - { id: r, type: flow-ref, flow: child }\n  - { id: k, type: agent, agent: keeper }\n"),
    },
  })
})

const begun = async (name: string, body: object = {}): Promise<string> =>
  (await ask<{ id: string }>("POST", `/v1/flows/${name}/runs`, { task: "go", ...body })).id
const forked = async (id: string, body: object, route = "fork"): Promise<RunView> => {
  const fork = await ask<{ id: string }>("POST", `/v1/runs/${id}/${route}`, body)
  return until(fork.id, (run) => ended(run) || run.pending > 0)
}
const refusal = async (id: string, from: unknown) => {
  const r = await call("POST", `/v1/runs/${id}/fork`, { from })
  return [r.status, await r.json<{ detail: string; errors?: { pointer: string; message: string }[] } & Record<string, unknown>>()] as const
}

describe("again", () => {
  test("[K7] of a fork begins with what the fork ran with, not with what its source did", async () => {
    const id = await begun("two", { inputs: { name: "Ada" }, tags: ["first"] })
    await until(id, ended)
    const budget = { tokens: 900_000 }
    const fork = await forked(id, { patch: { task: "stop", inputs: { name: "Bob" } }, effects: "live", budget })
    const again = await forked(fork.id, {}, "again")
    expect([again.task, again.inputs, again.budget?.limit, again.fork]).toEqual(["stop", { name: "Bob" }, budget, { run: fork.id, seq: 1 }])
    const opened = (await eventsOf(again.id)).find((e) => e.type === "step.opened")
    expect(opened?.type === "step.opened" && opened.task).toBe("stop Bob")
    // However far the fork that is run again had gone on from another, and however often.
    const later = await forked(fork.id, { from: { step: "x" }, effects: "live" })
    const twice = await forked((await forked(later.id, {}, "again")).id, {}, "again")
    expect([twice.task, twice.inputs, twice.budget?.limit]).toEqual(["stop", { name: "Bob" }, budget])
    // What the body says comes first, and a run that is no fork is as it was.
    expect((await forked(fork.id, { budget: { tokens: 800_000 } }, "again")).budget?.limit).toEqual({ tokens: 800_000 })
    const plain = await forked(id, {}, "again")
    expect([plain.task, plain.inputs, plain.budget?.limit]).toEqual(["go", { name: "Ada" }, {}])
    for (const run of [again, twice, plain]) expect(await ask("GET", `/v1/runs/${run.id}/replay`)).toMatchObject({ identical: true })
  })
})

describe("a place that is not there", () => {
  test("[K8] is 422 and says what is wrong with it, and which places there are", async () => {
    const id = await begun("two")
    await until(id, ended)
    const events = await eventsOf(id)
    const last = events.at(-1)?.seq ?? 0
    const said = async (from: object, ...words: string[]) => {
      const [status, { detail, code, ...more }] = await refusal(id, from)
      expect([status, code]).toEqual([422, "not_forkable"])
      for (const word of words) expect(detail).toContain(word)
      return more
    }
    expect(await said({ seq: last }, `Event ${last} is the run's end`, "nearest place is")).toMatchObject({ after: null })
    expect(await said({ seq: last + 1 }, `no event ${last + 1}`, "from 1 to")).toMatchObject({ first: 1 })
    expect(await said({ seq: 0 }, "no event 0")).toMatchObject({ first: 1 })
    const reply = events.find((e) => e.type === "model.replied")?.seq ?? 0
    expect(await said({ seq: reply }, `Event ${reply} is inside a decision`, `${reply - 1} and `)).toMatchObject({ before: reply - 1 })
    expect(await said({ step: "nope" }, "No step nope has opened", "Steps that have opened: a, c, x")).toMatchObject({
      there: ["a", "c", "x"],
    })
    expect(await said({ step: "y" }, "The step y was skipped")).toMatchObject({ there: ["a", "c", "x"] })
    expect(await said({ step: "a", pass: 3 }, "no pass 3", "Its passes: 1")).toMatchObject({ there: [1] })
    expect(await said({ step: "a", turn: 7 }, "In pass 1 of the step a", "turn 7", "Turns of that pass: 0")).toMatchObject({ there: [0] })
    expect(await said({ step: "c", turn: 0 }, "In pass 1 of the step c", "none")).toMatchObject({ there: [] })
    expect(await said({ interaction: "i9" }, "no question i9", "none")).toMatchObject({ there: [] })
  })

  test.each([
    [{ seq: "1" }, "/from/seq", "must be a number"],
    [{ seq: 1, step: "a" }, "/from/step", "cannot be combined with seq"],
    [{ pass: 2 }, "/from/step", "is required"],
    [{ step: "a", turn: -1 }, "/from/turn", "must be 0 at least"],
    [{ stepp: "a" }, "/from/stepp", 'unknown field "stepp"'],
    [{ interaction: 5 }, "/from/interaction", "must be a string"],
    ["a", "/from", "must be an object"],
  ])("[H3] %j names the field", async (from, pointer, message) => {
    const id = await begun("two")
    const [status, { errors }] = await refusal(id, from)
    expect([status, errors?.map((e) => [e.pointer, e.message])]).toEqual([422, [[pointer, message]]])
  })
})

describe("a fork at the open question about kept calls", () => {
  const states = async (id: string): Promise<string[]> =>
    (await ask<{ data: { state: string; run: string }[] }>("GET", `/v1/runs/${id}/effects`)).data.map(({ state, run }) => `${state} ${run}`)
  const asked = async (id: string) =>
    (
      await ask<{ data: { id: string; kind: string; status: string; payload: { effects: { key: string; run: string }[] } }[] }>(
        "GET",
        `/v1/runs/${id}/interactions`,
      )
    ).data.map(({ id: question, kind, status, payload }) => [question, kind, status, payload.effects.map(({ run }) => run)])
  const waiting = async (name: string): Promise<string> => {
    const id = await begun(name, { effects: "staged" })
    await until(id, (run) => run.pending > 0)
    return id
  }
  const answer = (id: string, question: string, commit: unknown) =>
    ask("POST", `/v1/runs/${id}/interactions/${question}`, { answer: { commit } })

  test.each(["staged", "live"])("[K10] keeps it open under its id, and each is answered apart (%s)", async (effects) => {
    const id = await waiting("keeps")
    const fork = await forked(id, { from: { interaction: "i1" }, effects })
    expect([fork.status, await asked(fork.id)]).toEqual(["waiting", [["i1", "effects", "pending", [fork.id]]]])
    expect([await states(fork.id), await states(id)]).toEqual([[`staged ${fork.id}`], [`staged ${id}`]])
    await answer(id, "i1", [])
    expect([(await until(id, ended)).status, await states(id)]).toEqual(["succeeded", [`discarded ${id}`]])
    expect(await asked(fork.id)).toEqual([["i1", "effects", "pending", [fork.id]]])
    await answer(fork.id, "i1", "all")
    expect([(await until(fork.id, ended)).status, await states(fork.id)]).toEqual(["succeeded", [`confirmed ${fork.id}`]])
    expect(await ask("GET", `/v1/runs/${fork.id}/replay`)).toMatchObject({ identical: true })
  })

  test("[K12] may be answered by the fork itself", async () => {
    const id = await waiting("keeps")
    const fork = await forked(id, { from: { interaction: "i1" }, instead: { answer: { answer: { commit: "all" } } } })
    expect([(await until(fork.id, ended)).status, await states(fork.id)]).toEqual(["succeeded", [`confirmed ${fork.id}`]])
    expect((await runOf(id)).pending).toBe(1)
    await ask("POST", `/v1/runs/${id}/cancel`)
  })

  test("[K33] of a dry fork is withdrawn: nothing is carried out", async () => {
    const id = await waiting("keeps")
    const fork = await forked(id, { from: { interaction: "i1" }, effects: "dry" })
    expect([fork.status, await states(fork.id), (await asked(fork.id)).map(([, , status]) => status)]).toEqual([
      "succeeded",
      [],
      ["withdrawn"],
    ])
    await ask("POST", `/v1/runs/${id}/cancel`)
  })

  test("[K10] with calls that children kept is asked anew without them: those are the source's alone", async () => {
    const id = await waiting("both")
    const fork = await forked(id, { from: { interaction: "i1" } })
    const { children } = await runOf(id)
    expect(await asked(fork.id)).toEqual([
      ["i1", "effects", "withdrawn", [...children, id]],
      ["i2", "effects", "pending", [fork.id]],
    ])
    await answer(fork.id, "i2", [])
    expect((await until(fork.id, ended)).status).toBe("succeeded")
    expect(await states(children[0] ?? "")).toEqual([`staged ${children[0]}`])
    await ask("POST", `/v1/runs/${id}/cancel`)
  })
})
