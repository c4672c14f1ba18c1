// Cached steps over HTTP [R38–R41]: two runs that ask the same, what the second costs and shows, and how a result is forgotten.

import { evictDurableObject } from "cloudflare:test"
import { beforeAll, expect, test } from "vitest"
import type { Replayed } from "../../../src/ports/run.ts"
import { agent, ask, call, ended, eventsOf, flow, start, stub, until } from "../../support/worker/house.ts"
import { objectCalls } from "../../support/worker/object-calls.ts"

const FACTS = [{ text: "Let me see." }, { finish: { status: "complete", summary: "Facts." } }]

beforeAll(async () => {
  await ask("PUT", "/v1/settings/providers/cached", {
    kind: "scripted",
    turns: { facts: FACTS, next: [{ finish: { status: "complete", summary: "Done." } }] },
  })
  const on = (name: string, tools = "web.fetch"): string => agent(name, tools).replace("rehearsal/default", `cached/${name}`)
  await ask("PUT", "/v1/catalog", {
    agents: { "facts.md": on("facts"), "next.md": on("next") },
    flows: {
      "cached.yaml": flow(
        "cached",
        "  - { id: facts, type: agent, agent: facts, cache: 1h }\n  - { id: next, type: agent, agent: next, blockedBy: facts }\n",
      ),
      "plain.yaml": flow("plain", "  - { id: facts, type: agent, agent: facts }\n"),
      "above.yaml": flow(
        "above",
        '  - { id: m, type: map, over: "${{flow.input.items}}", do: one }\n',
        "inputs: { items: { type: array } }\n",
      ),
      "one.yaml": flow("one", "  - { id: facts, type: agent, agent: facts, task: the same, cache: 1h }\n"),
    },
  })
})

const done = async (name: string, body: object = {}) => {
  const id = await start(name, body)
  const view = await until(id, ended)
  expect([view.status, view.error]).toEqual(["succeeded", undefined])
  return view
}
const typesOf = async (id: string): Promise<string[]> => (await eventsOf(id)).map(({ type }) => type)
const isIdentical = async (id: string): Promise<boolean> => (await ask<Replayed>("GET", `/v1/runs/${id}/replay`)).identical

test("[R38] [R40] the second run spends no token for the step, ends with the same output, and replays identically", async () => {
  const [one, calls] = await watched(() => done("cached"))
  expect(calls.filter((name) => name.includes("cachedPasses"))).toEqual(["tenant cachedPasses.find", "tenant cachedPasses.keep"])
  const two = await done("cached")
  expect(two.steps["facts"]).toMatchObject({ summary: "Facts.", model_calls: 0, usage: { input: 0, output: 0 } })
  expect(two.steps["facts"]?.cached).toEqual({ run: one.id, at: expect.stringMatching(/Z$/) })
  expect(one.steps["facts"]).not.toHaveProperty("cached")
  expect(two.output).toEqual(one.output)
  expect(await typesOf(one.id)).toContain("cache.missed")
  expect(await typesOf(two.id)).toContain("step.cached")
  for (const { id } of [one, two]) expect(await isIdentical(id)).toBe(true)
  await evictDurableObject(stub(two.id))
  expect((await ask<{ steps: Record<string, { cached?: object }> }>("GET", `/v1/runs/${two.id}`)).steps["facts"]?.cached).toMatchObject({
    run: one.id,
  })
})

test("[R41] a forgotten result, and one whose run is deleted, is asked anew", async () => {
  const one = await done("cached", { task: "forget me" })
  expect((await call("DELETE", "/v1/flows/cached/cache?step=next")).status).toBe(204)
  expect((await done("cached", { task: "forget me" })).steps["facts"]?.cached?.run).toBe(one.id)
  expect((await call("DELETE", "/v1/flows/cached/cache?step=facts")).status).toBe(204)
  const two = await done("cached", { task: "forget me" })
  expect(two.steps["facts"]).not.toHaveProperty("cached")
  expect((await call("DELETE", `/v1/runs/${two.id}`)).status).toBe(204)
  const three = await done("cached", { task: "forget me" })
  expect(three.steps["facts"]).not.toHaveProperty("cached")
})

test("[R40] [H13] a fork from the step asks it anew; a child below a map takes what another child found", async () => {
  const one = await done("cached", { task: "fork me" })
  const fork = await ask<{ id: string }>("POST", `/v1/runs/${one.id}/fork`, { from: { step: "facts" }, effects: "dry" })
  const forked = await until(fork.id, ended)
  expect(forked.steps["facts"]).not.toHaveProperty("cached")
  const children = (await done("above", { inputs: { items: [1] } })).children
  const others = (await done("above", { inputs: { items: [1] } })).children
  const [first, second] = await Promise.all([...children, ...others].map((id) => until(id, ended)))
  expect(second?.steps["facts"]?.cached).toMatchObject({ run: first?.id })
})

test("[R38] a run of a flow without `cache` asks its tenant as before, and has no new event", async () => {
  await done("plain")
  const [plain, calls] = await watched(() => done("plain"))
  expect(calls.filter((name) => name.includes("cachedPasses"))).toEqual([])
  expect(new Set(await typesOf(plain.id))).toEqual(
    new Set(["run.started", "step.opened", "action.begun", "model.replied", "reminder.sent", "step.finished", "run.ended"]),
  )
})

async function watched<T>(work: () => Promise<T>): Promise<[T, readonly string[]]> {
  const { calls, stop } = objectCalls("local")
  try {
    return [await work(), calls]
  } finally {
    stop()
  }
}
