// Feedback from pages [V20]: what a token made with `feedback` may say, of which runs, and that it shows a page nothing.

import { beforeAll, expect, test } from "vitest"
import type { RunScores } from "../../../src/api/doc/quality.doc.ts"
import { agent, ask, call, ended, flow, start, until } from "../../support/worker/house.ts"

beforeAll(async () => {
  await ask("PUT", "/v1/catalog", {
    agents: { "w.md": agent("w") },
    flows: { "said.yaml": flow("said", "  - { id: a, agent: w }\n"), "other.yaml": flow("other", "  - { id: a, agent: w }\n") },
  })
})

const done = async (name = "said", body: object = {}): Promise<string> => (await until(await start(name, body), ended)).id
const runToken = async (id: string, body: object = { view: "public", feedback: true }): Promise<string> =>
  (await ask<{ token: string }>("POST", `/v1/runs/${id}/token`, body)).token
const chatToken = async (thread: string, body: object = { feedback: true }): Promise<string> =>
  (await ask<{ token: string }>("POST", "/v1/flows/said/chat-token", { thread, ...body })).token
const saidOf = (id: string): Promise<RunScores> => ask("GET", `/v1/runs/${id}/scores`)
const say = (id: string, body: object, token: string): Promise<Response> => call("POST", `/v1/runs/${id}/feedback`, body, {}, token)

test("[V20] a public token made with feedback says a thumb, a comment and a text of its run alone", async () => {
  const [id, other] = [await done(), await done()]
  const token = await runToken(id)
  expect((await say(id, { thumb: "down", comment: "no", correction: "yes" }, token)).status).toBe(201)
  expect((await saidOf(id)).feedback).toMatchObject([{ by: "page", thumb: "down", comment: "no", correction: "yes" }])
  expect((await say(other, { thumb: "up" }, token)).status).toBe(404)
  for (const body of [{ score: 1 }, { thumb: "up", user: "u" }, { score: 1, scorer: "succeeded" }, { correction: { a: 1 } }])
    expect((await say(id, body, token)).status).toBe(403)
  expect((await say(id, { comment: "x".repeat(4_000), correction: "x".repeat(16_000) }, token)).status).toBe(201)
  expect((await say(id, { comment: "x".repeat(4_001) }, token)).status).toBe(422)
  expect((await say(id, { correction: "x".repeat(16_001) }, token)).status).toBe(422)
  expect((await say(id, {}, token)).status).toBe(422)
})

test("[V20] without feedback a token opens nothing of it, and with it a page sees no feedback and no score", async () => {
  const id = await done()
  expect((await say(id, { thumb: "up" }, await runToken(id, { view: "public" }))).status).toBe(401)
  expect((await call("POST", `/v1/runs/${id}/token`, { feedback: true })).status).toBe(422)
  const token = await runToken(id)
  expect((await call("POST", `/v1/runs/${id}/feedback?token=${token}`, { thumb: "up" }, {}, "")).status).toBe(401)
  await say(id, { thumb: "up", comment: "canary-comment" }, token)
  await ask("POST", `/v1/runs/${id}/scores`, { scorers: ["succeeded"] })
  await expect.poll(async () => (await saidOf(id)).scores.length, { timeout: 10_000 }).toBe(1)
  expect((await call("GET", `/v1/runs/${id}/scores`, undefined, {}, token)).status).toBe(401)
  expect((await call("POST", `/v1/runs/${id}/scores`, { scorers: ["succeeded"] }, {}, token)).status).toBe(401)
  for (const path of ["", "/events"]) {
    const shown = await (await call("GET", `/v1/runs/${id}${path}`, undefined, {}, token)).text()
    expect(shown).not.toMatch(/canary-comment|"scores"|"feedback"|run\.scored|feedback\.given/)
  }
})

test("[V20] a chat token made with feedback says so of its thread's runs alone", async () => {
  const [mine, theirs, elsewhere] = [
    await done("said", { thread: "t1" }),
    await done("said", { thread: "t2" }),
    await done("other", { thread: "t1" }),
  ]
  const token = await chatToken("t1")
  expect((await say(mine, { thumb: "up" }, token)).status).toBe(201)
  for (const id of [theirs, elsewhere, "run_nobody"]) expect((await say(id, { thumb: "up" }, token)).status).toBe(404)
  expect((await say(mine, { score: 1 }, token)).status).toBe(403)
  expect((await say(mine, { thumb: "up" }, await chatToken("t1", {}))).status).toBe(401)
})

test("[V19] [V20] pages are one giver, of whom the newest counts, and a run takes 10 changes from them beside those of keys", async () => {
  const id = await done()
  const token = await runToken(id)
  for (let i = 0; i < 10; i++) expect((await say(id, { thumb: i === 9 ? "up" : "down" }, token)).status).toBe(201)
  expect((await say(id, { thumb: "down" }, token)).status).toBe(429)
  expect((await call("POST", `/v1/runs/${id}/feedback`, { thumb: "up" })).status).toBe(201)
  expect((await ask<{ feedback: object }>("GET", `/v1/runs/${id}`)).feedback).toEqual({ up: 2, down: 0 })
})

test("[V19] a run takes 50 changes from keys, and 50 grades apart; beyond them 429", async () => {
  const id = await done()
  const post = async (body: object): Promise<number> => (await call("POST", `/v1/runs/${id}/feedback`, body)).status
  const [thumb, grade] = [
    { thumb: "up", user: "one" },
    { scorer: "succeeded", score: 1 },
  ]
  for (const body of [thumb, grade]) for (let i = 0; i < 50; i++) expect([i, await post(body)]).toEqual([i, 201])
  for (const body of [thumb, { thumb: "none", user: "another" }, grade, { ...grade, user: "another" }]) {
    const answer = await call("POST", `/v1/runs/${id}/feedback`, body)
    expect([answer.status, await answer.json()]).toMatchObject([429, { code: "quota" }])
  }
  expect((await ask<{ feedback: object }>("GET", `/v1/runs/${id}`)).feedback).toEqual({ up: 1, down: 0 })
  // What pages may still say is a number of their own.
  expect((await say(id, { thumb: "down" }, await runToken(id))).status).toBe(201)
})
