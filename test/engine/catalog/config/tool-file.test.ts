// Files of tools and callbacks [F79]: what they make, and each fault with its place.

import { describe, expect, test } from "vitest"
import { Catalog } from "../../../../src/engine/catalog/catalog.ts"
import { checkConfig } from "../../../../src/engine/catalog/config/config-value.ts"
import { inTurn } from "../../../../src/engine/in-turn.ts"
import { agent, BUILTINS, FragileBlobs, MemoryRows, TOOLS } from "../../../support/engine/memory-catalog.ts"

const faults = (...asked: Parameters<typeof checkConfig>) =>
  checkConfig(...asked).diagnostics.map(({ code, line, column, message, suggestion }) => [code, line, column, message, suggestion])
const HTTP = `description: Find.
parameters: { type: object, properties: { q: { type: string, description: What. } } }
request: { method: GET, url: "https://find.example.com/" }
`
const DOCUMENT = `openapi: |
  {"openapi": "3.0.0", "servers": [{"url": "https://pets.example.com"}],
   "paths": {"/pets": {"get": {"operationId": "list_pets", "summary": "All"}, "trace": {}}}}
`

describe("a file of tools", () => {
  test("[F79] is an HTTP tool, a document's operations or an MCP server, by its own fields", () => {
    expect(checkConfig("tool", "find", HTTP).value).toMatchObject({
      kind: "tool",
      value: { type: "http", defs: [{ kind: "http", name: "find" }] },
    })
    expect(checkConfig("tool", "pets", `prefix: my_\n${DOCUMENT}`).value).toMatchObject({
      value: { type: "openapi", defs: [{ name: "my_list_pets" }] },
    })
    expect(checkConfig("tool", "crm", "url: https://mcp.example.com/mcp\nallow: [a*]\napprove: true\n").value).toEqual({
      kind: "tool",
      value: { type: "mcp", settings: { url: "https://mcp.example.com/mcp", allow: ["a*"] }, approve: true },
    })
  })

  test("[F79] every fault has its line, its column and what to write", () => {
    expect(faults("tool", "x", "reqest: 1\n")).toEqual([["PV-VALUE", 1, 1, expect.stringContaining("`request` (an HTTP tool)"), undefined]])
    expect(faults("tool", "x", `${HTTP}efect: read\n`)).toEqual([["PV-FIELD", 4, 1, 'unknown field "efect"', 'did you mean "effect"?']])
    expect(faults("tool", "x", HTTP.replace("GET", "FETCH"))).toMatchObject([
      ["PV-VALUE", 3, 20, expect.stringContaining("`request.method`"), undefined],
    ])
    expect(faults("tool", "x", "openapi: https://pets.example.com/openapi.json\n")).toMatchObject([
      ["PV-VALUE", 1, 10, expect.stringContaining("must contain the document itself"), expect.stringContaining("openapi: |")],
    ])
    expect(faults("tool", "x", "openapi: { swagger: '1.0', paths: {} }\n")).toMatchObject([
      ["PV-VALUE", 1, 10, expect.any(String), undefined],
    ])
    expect(faults("tool", "x", "url: ftp://a\nauth: {}\n")).toMatchObject([
      ["PV-VALUE", 1, 6, expect.stringContaining("http(s) address"), undefined],
      ["PV-VALUE", 2, 7, expect.stringContaining("vault scope"), undefined],
    ])
    expect(faults("tool", "x".repeat(64), "url: https://a.example.com/\n")).toMatchObject([
      ["PV-VALUE", 1, 1, expect.any(String), undefined],
    ])
  })

  test("[F79] no file holds a secret, and what a document shows as an example is none", () => {
    const header = HTTP.replace("GET,", `GET, headers: { authorization: "Bearer ${"a".repeat(30)}" },`)
    expect(faults("tool", "x", header)).toMatchObject([["PV-SECRET", 3, expect.any(Number), expect.any(String), expect.any(String)]])
    expect(
      faults("callback", "x", "url: https://hooks.slack.com/services/T0AAAAAAA/B0AAAAAAA/abcdefghijklmnopqrstuvwx\nkind: slack\n"),
    ).toMatchObject([["PV-SECRET", 1, 6, expect.any(String), expect.any(String)]])
    const shown = `openapi: { openapi: 3.0.0, servers: [{ url: "https://a.example.com" }], paths: { /a: { get: { operationId: a,
  parameters: [{ name: t, in: query, example: "Bearer ${"a".repeat(30)}", schema: { type: string, description: d } }] } } } }\n`
    expect(faults("tool", "x", shown)).toEqual([])
  })

  test("[F79] of many faults 100 are told, and of what a document leaves out 50", () => {
    const many = (line: (i: number) => string): string => Array.from({ length: 150 }, (_, i) => line(i)).join("")
    expect(faults("tool", "x", `url: https://a.example.com/\n${many((i) => `f${i}: 1\n`)}`)).toHaveLength(100)
    const paths = many((i) => `    /p${i}: { $ref: "https://elsewhere.example.com/p" }\n`)
    const document = `openapi:\n  openapi: 3.0.0\n  servers: [{ url: "https://a.example.com" }]\n  paths:\n${paths}`
    const found = faults("tool", "x", document)
    expect([found.length, ...new Set(found.map(([code, line]) => `${code} ${line}`))]).toEqual([50, "PV-OPERATION 2"])
  })

  test("[F79] a callback gets the defaults of the API, and its faults their places", () => {
    expect(checkConfig("callback", "x", "url: https://a.example.com/\nsecret: s\nevents: [run.failed, run.failed]\n").value).toEqual({
      kind: "callback",
      value: { url: "https://a.example.com/", secret: "s", events: ["run.failed"] },
    })
    expect(faults("callback", "x", "url: https://a.example.com/\nevents: [run.faild]\nsecret: s\n")).toEqual([
      ["PV-VALUE", 2, 10, expect.stringContaining("`events.0` must be one of"), 'did you mean "run.failed"?'],
    ])
    expect(faults("callback", "x", "url: https://a.example.com/\n")).toEqual([
      ["PV-VALUE", 1, 1, expect.stringContaining("`secret` is required"), undefined],
    ])
  })

  test("[F79] agents see the tools of files that come, change and go with them", async () => {
    const catalog = new Catalog({ store: new MemoryRows(), blobs: new FragileBlobs(), builtins: BUILTINS, tools: TOOLS, inTurn: inTurn() })
    const codes = async (tools: Record<string, string>, uses: string) => {
      const done = await catalog.apply(
        { mode: "replace", bundle: { agents: { "a.md": agent("a", `tools: ${uses}\n`) }, tools } },
        undefined,
        { configures: true },
      )
      return "diagnostics" in done ? (done.diagnostics["agents/a.md"] ?? []).map(({ code, severity }) => `${code} ${severity}`) : []
    }
    expect(await codes({}, "find")).toEqual(["AV-TOOL error"])
    expect(await codes({ "find.yaml": HTTP }, "find")).toEqual([])
    expect(await codes({ "pets.yaml": DOCUMENT }, "find")).toEqual(["AV-TOOL error"])
    expect(await codes({ "pets.yaml": DOCUMENT }, "list_pets")).toEqual([])
    expect(await codes({ "read.yaml": HTTP }, "read")).toEqual([])
    expect(await codes({ "pets.yaml": DOCUMENT, "a.yaml": DOCUMENT }, "list_pets")).toEqual([])
  })
})
