// Whatever shows the beginning of a text from outside: a secret that the cut would halve is gone before [T32].

import { describe, expect, test } from "vitest"
import { Redactor } from "../../../../src/core/secrets/redact.ts"
import type { HttpToolDef } from "../../../../src/core/tool/tool-def.ts"
import { executeTool, type CallOutcome } from "../../../../src/engine/run/call/execute-tool.ts"
import { sha256 } from "../../../../src/engine/sha256.ts"
import { failureOf } from "../../../../src/models/reply/failure.ts"
import type { Net } from "../../../../src/ports/net.ts"
import { Outside } from "../../../../src/ports/outside.ts"
import type { Tool, ToolPowers } from "../../../../src/ports/tool.ts"
import { k8sLogs } from "../../../../src/tools/k8s/k8s-logs.ts"
import { ingest } from "../../../../src/tools/objects/r2-ingest.ts"
import { httpTool } from "../../../../src/tools/registered/http-tool.ts"
import { webFetch } from "../../../../src/tools/web/web-fetch.ts"
import { webSearch } from "../../../../src/tools/web/web-search.ts"
import { NO_SKILLS, ToolBench } from "../../../support/engine/tool-bench.ts"

const KEY = `-----BEGIN PRIVATE KEY-----\n${"MIIEvQIBADANBgkqhki G9w0\n".repeat(100)}-----END PRIVATE KEY-----\n`
const ACCOUNT = JSON.stringify({ type: "service_account", private_key: KEY, client_email: "robot, 'the' {one}" }, null, 2)
const redactor = new Redactor([["google", [ACCOUNT, KEY]]])

/** No eight characters of the key's lines may be left. */
const leaks = (shown: unknown): boolean => /MIIEvQIB|ADANBgkq|hki G9w0|BEGIN PRIV/.test(JSON.stringify(shown))

/** Ways in which a server repeats what it was sent, with `n` characters before it. */
const ECHOES: Readonly<Record<string, (n: number) => string>> = {
  "as it is": (n) => `${"wrong ".repeat(n / 6)}${ACCOUNT} is not valid`,
  "in JSON": (n) => JSON.stringify({ pad: "y ".repeat(n / 2), said: ACCOUNT, end: "z" }),
  "in a message of JSON": (n) => JSON.stringify({ message: `${"y ".repeat(n / 2)}${ACCOUNT} is not valid` }),
  "in an error of JSON": (n) => JSON.stringify({ error: { message: `${"y ".repeat(n / 2)}${ACCOUNT}` } }),
  "in a page": (n) => `<html><body>${"wrong ".repeat(n / 6)}<pre>${ACCOUNT.replaceAll('"', "&quot;")}</pre></body></html>`,
  "percent-encoded": (n) => `${"wrong ".repeat(n / 6)}?key=${encodeURIComponent(ACCOUNT)}&x=y`,
}
const PADS = [0, 100, 250, 450, 590, 1_900, 19_900]

const netOf = (status: number, type: string, body: string): Net => ({
  fetch: async ({ url }) => ({ status, url, headers: { "content-type": type }, body: new Outside(new TextEncoder().encode(body)) }),
})

function execute(tool: Tool, args: Readonly<Record<string, string>>, net: Net, timeout?: number): Promise<CallOutcome> {
  const powers = {
    workspace: undefined as unknown as ToolPowers["workspace"],
    skills: NO_SKILLS,
    net,
    secrets: { get: async () => ACCOUNT },
  }
  const services = { get: async () => ({ k8s: { url: "https://cluster.example" } }) }
  return executeTool(
    { tool, args, signal: new AbortController().signal, powers: { ...powers, services } },
    {
      callId: "c",
      sha256,
      keep: async () => "kept",
      nonce: () => "0badcafe",
      redactor: () => redactor,
      ...(timeout === undefined ? {} : { maxTimeout: timeout }),
    },
  )
}

const DEF: HttpToolDef = {
  kind: "http",
  name: "crm",
  description: "x",
  parameters: { type: "object", properties: {} },
  request: { method: "GET", url: "https://crm.example/" },
} as unknown as HttpToolDef

const CALLS: readonly (readonly [string, Tool, Readonly<Record<string, string>>])[] = [
  ["an HTTP tool", httpTool(DEF), {}],
  ["web.fetch", webFetch, { url: "https://crm.example/" }],
  ["web.search", webSearch, { query: "x" }],
  ["k8s.logs", k8sLogs, { namespace: "a", pod: "b" }],
]

describe.each(CALLS)("%s", (_name, tool, args) => {
  test.each(Object.entries(ECHOES))("[T32] a failure that repeats a long secret %s shows no part of it", async (_way, echo) => {
    for (const pad of PADS)
      for (const type of ["application/json", "text/plain", "text/html"]) {
        const outcome = await execute(tool, args, netOf(403, type, echo(pad)))
        expect([pad, type, outcome.isError, leaks(outcome)]).toEqual([pad, type, true, false])
        expect(JSON.stringify(outcome)).toContain("403")
      }
  })
})

test.each(Object.entries(ECHOES))("[T32] a model's failure that repeats a long secret %s shows no part of it", (_way, echo) => {
  for (const pad of PADS) {
    const responseBody = echo(pad)
    for (const error of [{ statusCode: 401, responseBody, message: "" }, new Error(responseBody), { type: "x", message: responseBody }])
      for (const secrets of [[], [ACCOUNT]]) expect(leaks(failureOf(error, secrets, { redactor }))).toBe(false)
  }
})

test("[T32] the ends of a command's streams, and the beginnings of long lines, hold no half of a secret", async () => {
  const bench = new ToolBench({ redactor: () => redactor })
  for (const pad of [11_000, 11_900, 13_000]) {
    await bench.put("a.txt", `${ACCOUNT}${"x ".repeat(pad / 2)}`)
    await bench.put("b.txt", `${"find ".repeat(90)}${KEY.replaceAll("\n", "\\n")}`)
    const { details } = await bench.call("bash", { command: "cat a.txt; cat a.txt >&2" })
    expect(leaks(details)).toBe(false)
    expect(leaks((await bench.call("grep", { pattern: "find" })).content)).toBe(false)
  }
})

test("[T32] a shared file that is cut into entries of the memory leaves no half of a secret in any", async () => {
  const kept: string[] = []
  const memory = { replace: async (_namespace: string, contents: readonly string[]) => void kept.push(...contents) }
  for (const pad of [0, 1_000, 2_300, 2_390]) {
    const body = new TextEncoder().encode(`${"y ".repeat(pad / 2)}${KEY}`)
    const objects = { get: async () => ({ body, tainted: false }) }
    const powers = { objects, memory, redactor: () => redactor } as unknown as ToolPowers
    await ingest(powers, { key: "a.txt", namespace: "n", replaces: true, maxChars: 10_000, force: false, callId: "c" })
  }
  expect(kept.length).toBeGreaterThan(3)
  expect(leaks(kept)).toBe(false)
})

describe("a large answer", () => {
  const big = `${"%2525".repeat(400_000)}`

  test("[T6] the tool's time also ends the search for secrets in what it answered", async () => {
    const tool = { ...httpTool(DEF), timeout: 1 }
    const outcome = await execute(tool, {}, netOf(200, "text/plain", big))
    expect(outcome).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("timed out after 1 ms") }] })
  })

  test("[G9] has a digest of its own, and the same one again", async () => {
    const digest = async (body: string): Promise<string | undefined> =>
      (await execute(httpTool(DEF), {}, netOf(200, "text/plain", body))).digest
    const body = "x".repeat(600_000)
    expect(await digest(body)).toBe(await digest(body))
    expect(await digest(`${body.slice(1)}y`)).not.toBe(await digest(body))
    expect(await digest(`y${body.slice(1)}`)).not.toBe(await digest(body))
  })
})
