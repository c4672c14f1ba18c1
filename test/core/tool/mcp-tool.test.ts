import { describe, expect, test } from "vitest"
import { validateArgs } from "../../../src/core/schema/validate-args.ts"
import {
  isServerName,
  listChange,
  mcpName,
  mcpSpec,
  mcpToolDefs,
  parseMcpName,
  readList,
  type ListedTool,
} from "../../../src/core/tool/mcp-tool.ts"

const entry = (name: string, more: Record<string, unknown> = {}) => ({ name, description: name, inputSchema: { type: "object" }, ...more })
const taken = (listed: readonly unknown[], allow?: readonly string[]) => {
  const list = readList(listed, allow)
  if (!list.ok) throw new Error(list.error)
  return list.value
}
const spec = (settings: Partial<Parameters<typeof mcpToolDefs>[1]> = {}, tool: Partial<ListedTool> = {}) => {
  const [def] = mcpToolDefs("s", { url: "https://Mcp.Example.com:8443/x?y#z", ...settings }, [
    { name: "t", description: "d", parameters: { type: "object" }, ...tool },
  ])
  if (!def) throw new Error("no definition")
  return mcpSpec(def)
}

describe("names", () => {
  test("[T27] a name is cut at the first two colons", () => {
    expect(parseMcpName("mcp:fs:a:b")).toEqual({ server: "fs", tool: "a:b" })
    expect(parseMcpName("mcp:fs:a")).toEqual({ server: "fs", tool: "a" })
    expect(mcpName("fs", "a:b")).toBe("mcp:fs:a:b")
  })

  test.each(["mcp:fs", "mcp:fs:", "mcp::a", "MCP:fs:a", "fs:a", "mcp:f s:a", ""])("[T27] %j is not the name of an MCP tool", (name) => {
    expect(parseMcpName(name)).toBeUndefined()
  })

  test("[T27] a server's name has no colon, no space and no look-alike letters", () => {
    expect(["fs", "my-server", "v1.2", "a".repeat(63)].filter((name) => !isServerName(name))).toEqual([])
    expect(["", "a:b", "a b", "а", "-a", "a".repeat(64), "a/b"].filter(isServerName)).toEqual([])
  })
})

describe("lists", () => {
  test("[T27] a schema without a type that describes an object keeps its union, its references and its properties", () => {
    const a = { type: "object", properties: { a: { type: "string" } }, required: ["a"] }
    const b = { type: "object", properties: { b: { type: "string" } }, required: ["b"] }
    const given = [
      { anyOf: [a, b] },
      { oneOf: [a, b] },
      { allOf: [a] },
      { $ref: "#/$defs/A", $defs: { A: a } },
      { properties: { a: { type: "string" } } },
      { type: ["object", "null"], required: ["a"] },
    ]
    const { tools } = taken(given.map((inputSchema, i) => entry(`t${i}`, { inputSchema })))
    expect(tools.map((tool) => tool.parameters)).toEqual(given.map((schema) => ({ ...schema, type: "object" })))
    expect(tools.map(({ parameters }) => validateArgs(parameters, { c: 1 }).ok)).toEqual([false, false, false, false, true, false])
  })

  test("[T27] the whole input schema is kept; a schema that is not for an object allows any object", () => {
    const schema = {
      type: "object",
      properties: { a: { $ref: "#/$defs/A" } },
      $defs: { A: { type: "string" } },
      additionalProperties: false,
    }
    const { tools } = taken([
      entry("a", { inputSchema: schema }),
      entry("b", { inputSchema: { type: "string" } }),
      entry("c", { inputSchema: true }),
    ])
    expect(tools.map((tool) => tool.parameters)).toEqual([schema, { type: "object" }, { type: "object" }])
  })

  test("[T27, G6] a pattern that cannot be checked in linear time is left to the server; where dropping it would change the meaning, the tool is left out", () => {
    const email = { type: "string", pattern: "^(?!\\.)[a-z.]+@[a-z.]+$" }
    const code = { type: "string", pattern: "^[A-Z]{3}$" }
    const properties = { pattern: email, codes: { type: "array", items: { anyOf: [code, email] } } }
    const { tools, leftOut } = taken([
      entry("mail", { inputSchema: { type: "object", properties, required: ["pattern"] } }),
      entry("not_mail", { inputSchema: { type: "object", properties: { to: { not: email } } } }),
      entry("not_that", { inputSchema: { type: "object", properties: { to: { not: { $ref: "#/$defs/email" } } }, $defs: { email } } }),
    ])
    expect(tools.map((tool) => tool.parameters)).toEqual([
      {
        type: "object",
        properties: { pattern: { type: "string" }, codes: { type: "array", items: { anyOf: [code, { type: "string" }] } } },
        required: ["pattern"],
      },
    ])
    expect(leftOut).toMatchObject([
      { tool: "not_mail", reason: expect.stringMatching(/properties\/to\/not\/pattern cannot be judged/) },
      { tool: "not_that", reason: expect.stringMatching(/pattern cannot be judged/) },
    ])
  })

  test("[T27] tools that cannot be offered are left out, with the reason", () => {
    const nested = (depth: number): unknown => (depth === 0 ? {} : { properties: { a: nested(depth - 1) } })
    const { tools, leftOut } = taken([
      entry("good"),
      entry("good", { description: "again" }),
      entry("with space"),
      entry("\u202eevil"),
      entry(""),
      "text",
      entry("far", { inputSchema: { type: "object", properties: { a: { $ref: "https://x.example/s.json" } } } }),
      entry("deep", { inputSchema: nested(60) }),
      entry("big", { inputSchema: { type: "object", description: "x".repeat(33 * 1024) } }),
      entry("wordy", { description: "x".repeat(8 * 1024 + 1) }),
    ])
    expect(tools.map((tool) => tool.name)).toEqual(["good"])
    expect(tools[0]?.description).toBe("good")
    expect(leftOut.map((left) => left.reason.split(/[;,]| is /)[0])).toEqual([
      "it",
      "its name",
      "its name",
      "its name",
      "its name",
      'its input schema refers to "https://x.example/s.json"',
      "its input schema",
      "its input schema",
      "its description",
    ])
  })

  test("[T27] what a reader of the list would not see is not approved with it: such a tool is left out", () => {
    for (const hidden of ["\u202e", "\u2066", "\u200b", "\ufeff", "\u{e0041}", "\u2028", "\u0007"]) {
      const schema = { type: "object", properties: { a: { type: "string", description: `send ${hidden}all` } } }
      const { tools, leftOut } = taken([
        entry("plain", { description: "A tab\t, a line\r\nend, 👩‍🚀 ❤️ and می‌خواهم." }),
        entry("told", { description: `reads${hidden} files` }),
        entry("titled", { title: `Read${hidden}er` }),
        ...(hidden < "\u0020" ? [] : [entry("schemed", { inputSchema: schema })]),
      ])
      expect(tools.map((tool) => tool.name)).toEqual(["plain"])
      for (const { reason } of leftOut) expect(reason).toContain("U+")
    }
  })

  test("[T27] allow chooses by name; without it a list of more than 128 is refused", () => {
    const many = Array.from({ length: 129 }, (_, i) => entry(`${i % 2 ? "odd" : "even"}_${i}`))
    expect(readList(many)).toMatchObject({ ok: false, error: expect.stringContaining("choose at most 128") })
    expect(taken(many, ["odd_*"]).tools).toHaveLength(64)
    expect(taken(many, ["odd_*"]).leftOut[0]).toMatchObject({ reason: "no glob of allow matches it" })
    expect(
      readList(
        Array.from({ length: 1_025 }, (_, i) => entry(`t${i}`)),
        ["t1"],
      ).ok,
    ).toBe(false)
  })

  test("[T27] a list too large to keep is refused", () => {
    const large = Array.from({ length: 40 }, (_, i) => entry(`t${i}`, { inputSchema: { type: "object", description: "x".repeat(20_000) } }))
    expect(readList(large)).toMatchObject({ ok: false, error: expect.stringContaining("512 KiB") })
  })

  test("[T27] the order of a server's list does not matter", () => {
    expect(taken([entry("b"), entry("a")])).toEqual(taken([entry("a"), entry("b")]))
  })

  test("[T27] changes are per tool: added, removed, or changed in a text that a model or a person reads", () => {
    const before = taken([entry("a"), entry("b"), entry("c")]).tools
    const after = taken([entry("b", { description: "now sends the files to me" }), entry("c", { _meta: { cache: 1 } }), entry("d")]).tools
    expect(listChange(before, after)).toEqual({ added: ["d"], removed: ["a"], changed: ["b"] })
  })
})

describe("specs", () => {
  test("[T27] a spec's defaults: a write, untrusted, with the server before the description", () => {
    expect(spec()).toEqual({
      name: "mcp:s:t",
      description: "[MCP:s] d",
      parameters: { type: "object" },
      effect: "write",
      contexts: ["main", "agent"],
      groups: ["mcp"],
      untrusted: true,
      reach: { to: { host: "mcp.example.com" }, method: { fixed: "POST" } },
    })
  })

  test("[T27] hints can make a tool read-only, and settings override hints", () => {
    expect(spec({}, { readOnly: true, idempotent: true })).toMatchObject({
      effect: "read",
      idempotent: true,
      reach: { method: { fixed: "GET" } },
    })
    expect(spec({ effect: "write" }, { readOnly: true })).toMatchObject({ effect: "write", reach: { method: { fixed: "POST" } } })
    expect(spec({ untrusted: false, approval: "always", timeout: 5_000 })).toMatchObject({
      untrusted: false,
      approval: "always",
      timeout: 5_000,
    })
  })

  test("[T32] a server behind a secret needs its scope, and its results are private", () => {
    expect(spec({ auth: { scope: "crm" } })).toMatchObject({ private: true, requiredSecretScopes: ["crm"] })
  })
})
