// A tenant's keys, which need the scope admin.

import { afterEach, describe, expect, test, vi } from "vitest"
import { setUp } from "../../support/http/ask.ts"

describe("API keys", () => {
  test("[H1] a key is shown once, in the answer that creates it", async () => {
    const { ask, acme } = setUp()
    const made = await ask("POST", "/v1/keys", {
      body: { name: "ci", scopes: ["runs:read", "runs:write"], expires: "2999-01-31T00:00:00Z" },
    })
    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      id: "key_0",
      key: "sl_acme_SECRET-OF-KEY-0",
      prefix: "sl_acme_SEC0",
      name: "ci",
      scopes: ["runs:write", "runs:read"],
      created: "1970-01-01T00:00:01.000Z",
      expires: "2999-01-31T00:00:00.000Z",
      last_used: null,
    })
    const list = await ask("GET", "/v1/keys")
    expect(list.body["data"]).toEqual([expect.objectContaining({ id: "key_0", name: "ci" })])
    expect(list.text).not.toContain("SECRET-OF-KEY")
    expect((await ask("DELETE", "/v1/keys/key_0")).status).toBe(204)
    expect(acme.account.keys.rows).toEqual([])
    expect((await ask("DELETE", "/v1/keys/key_0")).status).toBe(404)
  })

  test("[H4] a replay of the answer that showed a key leaves the key out", async () => {
    const { ask, acme } = setUp()
    const headers = { "idempotency-key": "once" }
    const body = { scopes: ["admin"] }
    const first = await ask("POST", "/v1/keys", { body, headers })
    const again = await ask("POST", "/v1/keys", { body, headers })
    expect(again.headers.get("idempotent-replayed")).toBe("true")
    expect(again.status).toBe(201)
    const { key, ...rest } = first.body
    expect(key).toBeTypeOf("string")
    expect(again.body).toEqual(rest)
    expect(acme.account.keys.rows).toHaveLength(1)
  })

  test("[H1] only known scopes, a future expiry and known fields are accepted", async () => {
    const { ask } = setUp()
    for (const body of [
      {},
      { scopes: [] },
      { scopes: ["everything"] },
      { scopes: ["instance"] },
      { scopes: ["admin"], expires: "2001-01-01" },
      { scopes: ["admin"], expires: "soon" },
      { scopes: ["admin"], nmae: "x" },
      { scopes: ["admin"], name: " " },
    ])
      expect((await ask("POST", "/v1/keys", { body })).status, JSON.stringify(body)).toBe(422)
  })

  test("[H1] a tenant has a maximum number of keys", async () => {
    const { ask, acme } = setUp()
    acme.account.keys.isFull = true
    expect((await ask("POST", "/v1/keys", { body: { scopes: ["admin"] } })).body).toMatchObject({ status: 409, code: "too_many_keys" })
  })

  test("[H1] a key without the scope admin cannot create, list or revoke keys", async () => {
    const { ask, services } = setUp()
    services.key("reader", "acme", ["runs:read", "catalog:write", "interactions:answer"])
    for (const [method, path] of [
      ["POST", "/v1/keys"],
      ["GET", "/v1/keys"],
      ["DELETE", "/v1/keys/key_0"],
    ] as const)
      expect((await ask(method, path, { key: "reader", ...(method === "POST" ? { body: { scopes: ["admin"] } } : {}) })).status).toBe(403)
  })
})

describe("a stream behind a key", () => {
  afterEach(() => void vi.useRealTimers())

  test("[H1] [S18] ends when its key is revoked; a stream with a valid key continues", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
    const { services, app } = setUp()
    services.callers.set("watched", { tenant: "acme", name: "w", scopes: ["runs:read"], keyId: "key_9" })
    const id = `run_${"s".padEnd(26, "0")}`
    let closed = false
    services.of().run(id).stream = async () =>
      new Response(
        new ReadableStream({ start: (c) => c.enqueue(new TextEncoder().encode(": hello\n\n")), cancel: () => void (closed = true) }),
        {
          headers: { "content-type": "text/event-stream" },
        },
      )
    const response = await app.request(`/v1/runs/${id}/events`, {
      headers: { authorization: "Bearer watched", accept: "text/event-stream" },
    })
    const reader = response.body?.getReader()
    expect((await reader?.read())?.done).toBe(false)
    let isOpen = true
    const next = reader?.read().then(({ done }) => ((isOpen = false), done))
    const pass = async (ms: number): Promise<void> => {
      await vi.advanceTimersByTimeAsync(ms)
      // The effects of the key check have settled.
      await new Promise((resolve) => setTimeout(resolve, 0))
    }
    await pass(60_000)
    expect(isOpen).toBe(true)
    services.revoked.add("key_9")
    // A key check may be a second old, so this is within 5 s.
    await pass(4_000)
    expect(await next).toBe(true)
    expect([isOpen, closed, vi.getTimerCount()]).toEqual([false, true, 0])
  })
})

describe("an answer that is waited for", () => {
  afterEach(() => void vi.useRealTimers())

  test("[H1] [S18] is 401 once its key is revoked; one with a valid key comes", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    const { services, app } = setUp()
    const id = `run_${"w".padEnd(26, "0")}`
    const run = services.of().run(id).begin("f")
    let end = (): void => undefined
    run.cancel = async () => {
      await new Promise<void>((resolve) => (end = resolve))
      return run.view()
    }
    const asked = async (name: string): Promise<{ answer: () => Response | undefined }> => {
      services.callers.set(name, { tenant: "acme", name, scopes: ["runs:write"], keyId: name })
      let came: Response | undefined
      void Promise.resolve(app.request(`/v1/runs/${id}/cancel`, { method: "POST", headers: { authorization: `Bearer ${name}` } })).then(
        (response) => (came = response),
      )
      await vi.advanceTimersByTimeAsync(60_000)
      return { answer: () => came }
    }
    const held = await asked("held")
    expect(held.answer()).toBe(undefined)
    end()
    await vi.advanceTimersByTimeAsync(0)
    expect(held.answer()?.status).toBe(200)
    for (const endsFirst of [false, true]) {
      const lost = await asked(`lost-${endsFirst}`)
      expect(lost.answer()).toBe(undefined)
      services.revoked.add(`lost-${endsFirst}`)
      // What ends after the revocation is not told, even before the next check.
      if (endsFirst) end()
      await vi.advanceTimersByTimeAsync(endsFirst ? 0 : 4_000)
      expect([lost.answer()?.status, vi.getTimerCount()]).toEqual([401, 0])
    }
  })
})
