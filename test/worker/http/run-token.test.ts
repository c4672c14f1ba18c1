// Per-run tokens [H1] with real signatures and keys that are real rows: the effects of time, another tenant, another purpose and a revocation.

import { beforeAll, describe, expect, test, vi } from "vitest"
import { env } from "cloudflare:workers"
import { signToken } from "../../../src/cloudflare/platform/tokens/signed-token.ts"
import { agent, ask, call, ended, flow, start, until } from "../../support/worker/house.ts"

beforeAll(async () => {
  await ask("PUT", "/v1/catalog", {
    agents: { "a.md": agent("a") },
    flows: {
      "one.yaml": flow("one", "  - { id: a, type: agent, agent: a }\n"),
      "held.yaml": flow("held", "  - { id: w, type: wait, signal: go }\n"),
    },
  })
})

const bare = (path: string, method = "GET", headers: Record<string, string> = {}) => call(method, path, undefined, headers, "")
const made = async (id: string, body: object = {}, key?: string): Promise<string> =>
  (await ask<{ token: string }>("POST", `/v1/runs/${id}/token`, body, {}, key)).token

describe("a token", () => {
  test("[H1] reads its run and its stream, and nothing else", async () => {
    const [id, other] = [await start("one"), await start("one")]
    await Promise.all([until(id, ended), until(other, ended)])
    const token = await made(id)
    for (let i = 0; i < 2; i++) {
      expect((await bare(`/v1/runs/${id}?token=${token}`)).status).toBe(200)
      const stream = await bare(`/v1/runs/${id}/events?token=${token}`, "GET", { accept: "text/event-stream" })
      expect(await stream.text()).toContain("event: run.ended")
    }
    expect((await bare(`/v1/runs/${other}?token=${token}`)).status).toBe(404)
    expect((await bare(`/v1/runs?token=${token}`)).status).toBe(401)
    expect((await bare(`/v1/runs/${id}/cancel?token=${token}`, "POST")).status).toBe(401)
    expect((await call("GET", `/v1/runs/${id}`, undefined, {}, token)).status).toBe(401)
  })

  test("[H1] is invalid if any character is altered, or if it is signed for another purpose", async () => {
    const id = await start("one")
    const token = await made(id)
    for (let at = 0; at < token.length; at += 7) {
      const other = token[at] === "A" ? "B" : "A"
      const altered = token.slice(0, at) + other + token.slice(at + 1)
      expect((await bare(`/v1/runs/${id}?token=${altered}`)).status, String(at)).toBe(401)
    }
    const foreign = await signToken(env, "interaction", { tenant: "local", run: id, name: "x" }, Date.now() + 60_000)
    expect((await bare(`/v1/runs/${id}?token=${foreign}`)).status).toBe(401)
    expect((await bare(`/i/${token}`)).status).toBe(403)
    await until(id, ended)
  })

  test("[H1] expires", async () => {
    const id = await start("one")
    await until(id, ended)
    const past = await signToken(env, "run", { tenant: "local", run: id, name: "x" }, Date.now() - 1)
    const good = await signToken(env, "run", { tenant: "local", run: id, name: "x" }, Date.now() + 60_000)
    expect([(await bare(`/v1/runs/${id}?token=${past}`)).status, (await bare(`/v1/runs/${id}?token=${good}`)).status]).toEqual([401, 200])
  })

  test("[S18] is valid no longer than its key; a stream that it opened ends with the key", async () => {
    const key = await ask<{ id: string; key: string }>("POST", "/v1/keys", { name: "r", scopes: ["runs:read"] })
    const id = await start("held")
    await until(id, (r) => r.status === "waiting")
    const token = await made(id, {}, key.key)
    const stream = await bare(`/v1/runs/${id}/events?token=${token}`, "GET", { accept: "text/event-stream" })
    const text = stream.text()
    expect((await call("DELETE", `/v1/keys/${key.id}`)).status).toBe(204)
    // The run never ends by itself. test/http/settings/keys.test.ts checks how soon the stream ends.
    expect(await text).not.toContain("run.ended")
    expect((await bare(`/v1/runs/${id}?token=${token}`)).status).toBe(401)
    await ask("POST", `/v1/runs/${id}/cancel`, {})
  })

  test("[S18] is never logged, not even when the request fails", async () => {
    const lines: string[] = []
    const spies = (["log", "error", "warn", "info"] as const).map((name) =>
      vi.spyOn(console, name).mockImplementation((...said: unknown[]) => void lines.push(said.map(String).join(" "))),
    )
    const id = await start("one")
    await until(id, ended)
    const token = await made(id)
    await bare(`/v1/runs/${id}/events?token=${token}&after=x`)
    await bare(`/v1/runs/${id}/files?token=${token}`)
    await (await bare(`/v1/runs/${id}/events?token=${token}`, "GET", { accept: "text/event-stream" })).text()
    for (const spy of spies) spy.mockRestore()
    expect(lines.join("\n")).not.toContain(token.slice(-20))
  })
})
