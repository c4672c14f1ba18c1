// HTTP tools as data: which registrations are valid, and which request a call makes.

import { describe, expect, test } from "vitest"
import { expand, secretHeader } from "../../../src/core/tool/http-tool-request.ts"
import { httpSpec } from "../../../src/core/tool/http-tool-spec.ts"
import { readHttpTool } from "../../../src/core/tool/http-tool.ts"
import type { JsonObject } from "../../../src/core/json.ts"
import { isTaken, TOOL_NAME } from "../../../src/core/tool/tool-name.ts"

const plain = (more: JsonObject = {}, request: JsonObject = {}): JsonObject => ({
  description: "changes an item",
  parameters: {
    type: "object",
    properties: { id: { type: "string" }, q: {}, list: { type: "array" }, deep: { type: "object" } },
    additionalProperties: false,
  },
  request: { method: "GET", url: "https://api.example.com/items/${{args.id}}", ...request },
  ...more,
})

function def(more: JsonObject = {}, request: JsonObject = {}) {
  const read = readHttpTool("item", plain(more, request))
  if (!read.ok) throw new Error(JSON.stringify(read.error))
  return read.value
}

const urlOf = (url: string, args: JsonObject): string => expand(def({}, { url }), args).url

describe("registration", () => {
  const faults = (body: unknown): readonly string[] => {
    const read = readHttpTool("item", body)
    return read.ok ? [] : read.error.map((f) => f.pointer)
  }

  test("[T26] a complete definition is accepted unchanged", () => {
    expect(faults(plain())).toEqual([])
    expect(def({ timeout: "30s" }).timeout).toBe(30_000)
    expect(def({}, { method: "post" }).request.method).toBe("POST")
  })

  test.each<[string, JsonObject, string]>([
    ["an unknown field", { ...plain(), execute: "x" }, "/execute"],
    ["a host from the model", plain({}, { url: "http://${{args.id}}/x" }), "/request/url"],
    ["half a host from the model", plain({}, { url: "https://${{args.id}}.example.com/x" }), "/request/url"],
    ["a scheme from the model", plain({}, { url: "${{args.id}}://example.com/" }), "/request/url"],
    ["a file", plain({}, { url: "file:///etc/passwd" }), "/request/url"],
    ["user and password", plain({}, { url: "https://a:b@example.com/" }), "/request/url"],
    ["a backslash", plain({}, { url: "https://example.com\\@evil.com/" }), "/request/url"],
    ["an invalid template", plain({}, { url: "https://example.com/${{secrets.x}}" }), "/request/url"],
    ["an invalid template in the body", plain({}, { method: "POST", body: { a: ["${{env.X}}"] } }), "/request/body/a/0"],
    ["an undeclared argument", plain({}, { url: "https://example.com/${{args.nope}}" }), "/parameters/properties"],
    ["a body on a GET", plain({}, { body: {} }), "/request/body"],
    ["a line break in a header", plain({}, { headers: { "x-a": "b\r\nc: d" } }), "/request/headers/x-a"],
    ["a control character around a template", plain({}, { headers: { "x-a": "\u0000${{args.id}}" } }), "/request/headers/x-a"],
    ["a header twice", plain({}, { headers: { "X-A": "b", "x-a": "c" } }), "/request/headers/x-a"],
    ["a misspelled keyword", { ...plain(), parameters: { type: "object", propreties: {} } }, "/parameters/propreties"],
    ["the host header", plain({}, { headers: { Host: "x" } }), "/request/headers/host"],
    ["the secret's header twice", plain({ auth: { scope: "s" } }, { headers: { Authorization: "x" } }), "/request/headers/authorization"],
    ["an unknown method", plain({}, { method: "CONNECT" }), "/request/method"],
    ["parameters that are not an object", { ...plain(), parameters: { type: "string" } }, "/parameters/type"],
    ["an unknown approval", plain({ approval: "maybe" }), "/approval"],
    [
      "a form as one text",
      plain({}, { method: "POST", headers: { "content-type": "application/x-www-form-urlencoded" }, body: "a=${{args.id}}" }),
      "/request/body",
    ],
  ])("[T26] refused, with its position: %s", (_what, body, pointer) => {
    expect(faults(body)).toContain(pointer)
  })

  test("[T26] its words have no character that a reader does not see", () => {
    for (const hidden of ["\u202e", "\u200b", "\u{e0041}", "\u2028", "\ufeff"]) {
      for (const [field, value] of [
        ["description", `Finds${hidden} it.`],
        ["label", `Fi${hidden}nd`],
        ["parameters", { type: "object", properties: { id: { type: "string", description: `the ${hidden}id` } } }],
      ] as const)
        expect(readHttpTool("find", plain({ [field]: value })), field).toMatchObject({
          ok: false,
          error: [{ pointer: `/${field}`, message: expect.stringContaining("U+") }],
        })
    }
    expect(readHttpTool("find", plain({ description: "👩‍🚀 ❤️, می‌خواهم\r\n\tBuchstaben\u00adfolge" })).ok).toBe(true)
  })

  test("[T26] names of built-ins are reserved in any case, and look-alikes are not names", () => {
    for (const name of ["read", "Read", "file.read", "bash", "finish", "subagent_finalize", "web.fetch", "k8s.pods", "mcp:a:b", "import"])
      expect(isTaken(name, []), name).toBe(true)
    expect(isTaken("custom", ["custom"])).toBe(true)
    expect(isTaken("note.get", ["note"])).toBe(false)
    for (const name of ["rеad", "__proto__", "a b", "", "1a", "x".repeat(65)]) expect(TOOL_NAME.test(name), name).toBe(false)
  })
})

describe("the tool it becomes", () => {
  test("[T26] it is untrusted, reads or writes by its method, and reaches only its host", () => {
    expect(httpSpec(def())).toMatchObject({
      effect: "read",
      untrusted: true,
      reach: { to: { host: "api.example.com" }, method: { fixed: "GET" } },
    })
    expect(httpSpec(def({}, { method: "DELETE" })).effect).toBe("write")
    expect(httpSpec(def({ effect: "none" }, { method: "POST" })).reach?.method).toEqual({ fixed: "POST" })
    expect(httpSpec(def({}, { url: "https://API.Example.com:8443/x" })).reach?.to).toEqual({ host: "api.example.com" })
  })

  test("[T26] a secret makes it private and requires its scope; Bearer is used with authorization only", () => {
    expect(httpSpec(def({ auth: { scope: "shop" } }))).toMatchObject({ private: true, requiredSecretScopes: ["shop"] })
    expect(secretHeader({ scope: "s" }, "v")).toEqual({ authorization: "Bearer v" })
    expect(secretHeader({ scope: "s", header: "X-Key" }, "v")).toEqual({ "x-key": "v" })
    expect(secretHeader({ scope: "s", header: "Authorization", scheme: "token" }, "v")).toEqual({ authorization: "token v" })
    expect(secretHeader({ scope: "s", scheme: "" }, "v")).toEqual({ authorization: "v" })
  })
})

describe("the address", () => {
  const path = "https://e.com/a/${{args.id}}/b"

  test("[T26] values are percent-encoded in path and query", () => {
    expect(urlOf("https://e.com/i/${{args.id}}?q=${{args.id}}", { id: "a b/ü?x=1&y#z" })).toBe(
      "https://e.com/i/a%20b%2F%C3%BC%3Fx%3D1%26y%23z?q=a%20b%2F%C3%BC%3Fx%3D1%26y%23z",
    )
  })

  test.each([".", "..", "%2e", "%2E%2e", ".%2e", "%252e%252e", "../../..", "..\\x", "a/../b", "x/%2e%2e"])(
    "[T26] the segment %s is refused",
    (id) => {
      expect(() => urlOf(path, { id })).toThrow(/may not be a part of the path/)
    },
  )

  test("[T26] dots inside a name do not lead up", () => {
    expect(urlOf(path, { id: "a..b" })).toBe("https://e.com/a/a..b/b")
    expect(urlOf("https://e.com/v${{args.id}}", { id: "..." })).toBe("https://e.com/v...")
  })

  test("[T26] a segment made of two parts is checked as a whole", () => {
    expect(() => urlOf("https://e.com/.${{args.id}}/x", { id: "." })).toThrow(/may not be/)
  })

  test("[T26] a missing value is an error in the path, and drops its pair in the query", () => {
    expect(() => urlOf(path, {})).toThrow(/args\.id is missing/)
    expect(urlOf("https://e.com/x?a=${{args.id}}&b=1", {})).toBe("https://e.com/x?b=1")
    expect(urlOf("https://e.com/x?a=${{args.id}}", {})).toBe("https://e.com/x")
  })

  test("[T26] a list repeats its name; half a surrogate pair is refused", () => {
    expect(urlOf("https://e.com/x?t=${{args.list}}", { list: ["a&b", 2] })).toBe("https://e.com/x?t=a%26b&t=2")
    expect(() => urlOf(path, { id: "\ud800" })).toThrow(/well-formed/)
  })
})

describe("headers and body", () => {
  const post = (body: JsonObject[string], headers: JsonObject = {}, args: JsonObject = {}) =>
    expand(def({}, { method: "POST", url: "https://e.com/", body, headers }), args)

  test("[T26] a header's value cannot start another header", () => {
    expect(() => post(null, { "x-a": "${{args.id}}" }, { id: "a\r\nx-b: c" })).toThrow(/line breaks/)
    expect(post(null, { "x-a": "${{args.id}}" }, {}).headers).not.toHaveProperty("x-a")
  })

  test("[T26] an exact reference keeps its JSON type, any other is text", () => {
    const body = { q: "${{args.q}}", list: "${{ args.list }}", text: "is ${{args.q}}", deep: "${{args.deep.a.b}}" }
    expect(JSON.parse(post(body, {}, { q: 5, list: [1, "2"], deep: { a: { b: null } } }).body ?? "")).toEqual({
      q: 5,
      list: [1, "2"],
      text: "is 5",
      deep: null,
    })
  })

  test("[T26] an absent optional argument drops its member or item", () => {
    expect(JSON.parse(post({ a: 1, q: "${{args.q}}", l: ["${{args.q}}", 2] }).body ?? "")).toEqual({ a: 1, l: [2] })
    expect(post("${{args.q}}").body).toBeUndefined()
  })

  test("[T26] inserted text is never expanded again, and only own members are found", () => {
    expect(JSON.parse(post({ a: "${{args.id}}", b: "x${{args.id}}" }, {}, { id: "${{args.q}}", q: "no" }).body ?? "")).toEqual({
      a: "${{args.q}}",
      b: "x${{args.q}}",
    })
    const odd = readHttpTool("item", {
      ...plain(),
      parameters: { type: "object", properties: { constructor: {} } },
      request: { method: "POST", url: "https://e.com/", body: { a: "${{args.constructor.name}}" } },
    })
    if (!odd.ok) throw new Error(JSON.stringify(odd.error))
    expect(expand(odd.value, {}).body).toBe("{}")
  })

  test("[T26] JSON, forms and texts are each sent in their own format", () => {
    expect(post({ a: 1 }).headers["content-type"]).toBe("application/json")
    const form = { "content-type": "application/x-www-form-urlencoded" }
    expect(post({ a: "${{args.id}}", l: "${{args.list}}" }, form, { id: "x&y=1", list: [1, 2] }).body).toBe("a=x%26y%3D1&l=1&l=2")
    expect(post("hello ${{args.id}}", { "content-type": "text/plain" }, { id: "you" }).body).toBe("hello you")
  })
})
