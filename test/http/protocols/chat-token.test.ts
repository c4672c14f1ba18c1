// Chat tokens [P9]: which routes they open, and what of a start they may set.

import { beforeEach, describe, expect, test } from "vitest"
import { setUp } from "../../support/http/ask.ts"

const THREAD = "chat-7"
const message = (more: object = {}) => ({
  id: THREAD,
  messages: [{ id: "m", role: "user", parts: [{ type: "text", text: "go" }] }],
  ...more,
})

let all: ReturnType<typeof setUp>
beforeEach(async () => {
  all = setUp()
  all.acme.catalog.flow({}, false)
  for (const flow of ["f", "g"]) await all.acme.catalog.put("flow", `flows/${flow}.yaml`, "x")
  all.services.chatTokens.set("chat.ok", {
    tenant: "acme",
    name: "page",
    scopes: ["runs:write", "runs:read"],
    chat: { flow: "f", thread: THREAD, budget: { tokens: 500 } },
  })
})
const page = (method: string, path: string, body?: unknown) =>
  all.ask(method, path, { key: "chat.ok", ...(body === undefined ? {} : { body }) })

describe("creating a chat token", () => {
  test("[P9] of 60 to 3600 seconds, for a flow that exists", async () => {
    const made = await all.ask("POST", "/v1/flows/f/chat-token", { body: { thread: THREAD } })
    expect([made.status, made.body["flow"], made.body["thread"], typeof made.body["token"]]).toEqual([201, "f", THREAD, "string"])
    expect(Math.abs(Date.parse(String(made.body["expires"])) - Date.now() - 900_000)).toBeLessThan(5_000)
    for (const ttl of [59, 3_601, 60.5, "60"]) expect((await all.ask("POST", "/v1/flows/f/chat-token", { body: { ttl } })).status).toBe(422)
    for (const thread of ["", "é", "x".repeat(257)])
      expect((await all.ask("POST", "/v1/flows/f/chat-token", { body: { thread } })).status).toBe(422)
    for (const ttl of [60, 3_600]) expect((await all.ask("POST", "/v1/flows/f/chat-token", { body: { ttl } })).status).toBe(201)
    const [one, other] = [await all.ask("POST", "/v1/flows/f/chat-token"), await all.ask("POST", "/v1/flows/f/chat-token")]
    expect(one.body["thread"]).not.toBe(other.body["thread"])
    expect((await all.ask("POST", "/v1/flows/none/chat-token")).status).toBe(404)
  })

  test("[P9] gives no right that its maker lacks", async () => {
    all.services.key("key-w", "acme", ["runs:write"])
    all.services.key("key-r", "acme", ["runs:read"])
    expect((await all.ask("POST", "/v1/flows/f/chat-token", { key: "key-r" })).status).toBe(403)
    expect((await all.ask("POST", "/v1/flows/f/chat-token", { key: "key-w", body: { answer: true } })).status).toBe(403)
    const made = await all.ask("POST", "/v1/flows/f/chat-token", { key: "key-w" })
    expect([made.status, String(made.body["token"])]).toEqual([201, expect.stringContaining('"reads":false')])
  })
})

describe("a chat token", () => {
  test("[P9] opens its flow's chat; another flow or thread is 404, any other route 401", async () => {
    expect((await page("GET", `/v1/flows/f/chat/${THREAD}/stream`)).status).toBe(204)
    expect((await page("DELETE", `/v1/flows/f/chat/${THREAD}/stream`)).status).toBe(204)
    for (const [method, path, body] of [
      ["GET", "/v1/flows/f/chat/other/stream", undefined],
      ["DELETE", "/v1/flows/f/chat/other/stream", undefined],
      ["DELETE", `/v1/flows/g/chat/${THREAD}/stream`, undefined],
      ["GET", `/v1/flows/g/chat/${THREAD}/stream`, undefined],
      ["POST", "/v1/flows/g/chat", message()],
      ["POST", "/v1/flows/f@1/chat", message()],
      ["POST", "/v1/flows/f/chat", message({ id: "other" })],
      ["POST", "/v1/flows/f/chat", message({ id: undefined, sluice: { thread: "other" } })],
    ] as const)
      expect([path, (await page(method, path, body)).status]).toEqual([path, 404])
    for (const [method, path] of [
      ["GET", "/v1/runs"],
      ["GET", "/v1/models"],
      ["GET", "/v1/flows/f"],
      ["POST", "/v1/flows/f/runs"],
      ["POST", "/v1/flows/f/chat-token"],
      ["POST", "/v1/chat/completions"],
      ["GET", "/v1/flows/f/chat"],
      ["DELETE", "/v1/flows/f/chat"],
      ["POST", `/v1/flows/f/chat/${THREAD}/stream`],
      ["POST", "/v1/flows/f/chat/"],
      ["GET", `/v1/flows/f/chat/${THREAD}/stream/more`],
      ["POST", "/mcp"],
    ] as const)
      expect([path, (await page(method, path)).status]).toEqual([path, 401])
  })

  test("[P9] sets nothing of a start but its inputs, and a budget below its own", async () => {
    const closed = {
      callback: { url: "https://x.example", secret: "s" },
      session: "s",
      autonomous: true,
      effects: "live",
      tags: ["a"],
      rehearse: true,
      files: { "x.csv": { object: "hr/salaries.csv" } },
      trusted: ["message"],
      task: "another",
      start: {},
      unheardOf: 1,
    }
    for (const [name, value] of Object.entries(closed)) {
      const r = await page("POST", "/v1/flows/f/chat", message({ sluice: { [name]: value } }))
      expect([name, r.status, String(r.body["detail"]).includes(`\`${name}\``)]).toEqual([name, 403, true])
      const agui = { threadId: THREAD, runId: "r", messages: [{ id: "m", role: "user", content: "go" }] }
      const told = await page("POST", "/v1/flows/f/agui", { ...agui, forwardedProps: { sluice: { [name]: value } } })
      expect([name, told.status, String(told.body["detail"]).includes(`\`${name}\``)]).toEqual([name, 403, true])
    }
    // The same for a file that exists and for one that does not: nobody counts the tenant's keys.
    const answers = await Promise.all(
      ["hr/salaries.csv", "nothing"].map(async (object) => {
        const { status, body } = await page("POST", "/v1/flows/f/chat", message({ sluice: { files: { "x.csv": { object } } } }))
        return [status, body["detail"]]
      }),
    )
    expect(answers[0]).toEqual(answers[1])
    expect(all.acme.runs.size).toBe(0)
  })

  test("[P9] another tenant's flow of the same name stays closed", async () => {
    all.services.chatTokens.set("chat.other", {
      tenant: "other",
      name: "page",
      scopes: ["runs:write"],
      chat: { flow: "f", thread: THREAD },
    })
    expect((await all.ask("POST", "/v1/flows/f/chat", { key: "chat.other", body: message() })).status).toBe(404)
  })
})
