// A GET that acts as another method [G11]: by a header or by a parameter, in every way that a request is formed.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { queryOverrides, isOverrideHeader, overridesByQuery } from "../../../src/core/tool/method-override.ts"
import { httpSpec } from "../../../src/core/tool/http-tool-spec.ts"
import { readHttpTool } from "../../../src/core/tool/http-tool.ts"
import { importOpenApi } from "../../../src/core/tool/openapi.ts"
import { goingOut, isWrite, writes } from "../../../src/core/tool/reach.ts"
import { browserNavigate } from "../../../src/tools/browser/browser-navigate.ts"
import { webFetch } from "../../../src/tools/web/web-fetch.ts"
import type { JsonObject } from "../../../src/core/json.ts"
import { whole } from "../../support/whole.ts"
import { cpuClock } from "../../support/cpu-clock.ts"

const HEADERS = [
  "x-http-method-override",
  "X-HTTP-Method-Override",
  "X_HTTP_METHOD_OVERRIDE",
  "x-http-method",
  "X-Method-Override",
  "X-HTTP-Method-Overwrite",
  "HTTP-Method-Override",
  "X-Original-Method",
  "_method",
  "X-Http-Verb",
  "X-Override-Method",
  "X-Action-Method",
  "X-REST-Method",
  "X-Original-URL",
  "X-Rewrite-URL",
]
const HARMLESS = [
  "accept",
  "x-api-key",
  "x-request-id",
  "authorization",
  "access-control-request-method",
  "x-methodology",
  "x-http-version",
  "x-url",
  "x-original-host",
]
const QUERIES = [
  "_method=DELETE",
  "_METHOD=delete",
  "a=1&_method=put",
  "a=1;_method=put",
  "%5fmethod=DELETE",
  "%5F%6d%65thod=DELETE",
  "_method[]=DELETE",
  "+method=DELETE",
  ".method=DELETE",
  "_HttpMethod=PATCH",
  "http_method=PATCH",
  "x-http-method-override=PATCH",
  "X-HTTP-Method=MERGE",
  "method=DELETE",
  "method=%64elete",
  "verb=put",
  "_method=",
  "_method",
  "[_method]=DELETE",
  "%5B_method%5D=DELETE",
  "%255Fmethod=DELETE",
  "%25255Fmethod=DELETE",
  "_method[0]=DELETE",
  "[method]=DELETE",
  "%zz&_method=DELETE",
  "override_method=PUT",
]
const PLAIN = [
  "",
  "method=flickr.photos.search",
  "method=GET",
  "q=_method",
  "q=_method%3DDELETE",
  "methods=DELETE",
  "payment_method=card",
  "x=%zz",
]

describe("names", () => {
  test.each(HEADERS)("[G11] the header %s replaces the method", (name) => expect(isOverrideHeader(name)).toBe(true))
  test.each(HARMLESS)("[G11] the header %s does not", (name) => expect(isOverrideHeader(name)).toBe(false))
  test.each(QUERIES)("[G11] the query %s replaces the method", (query) => {
    expect(overridesByQuery(`https://a.example/x?${query}`)).toBe(true)
    expect(overridesByQuery(`https://a.example/x?b=2&${query}&c=3#d`)).toBe(true)
    expect(overridesByQuery(`https://a.example/x#?${query}`)).toBe(false)
  })
  test.each(PLAIN)("[G11] the query %j does not", (query) => expect(overridesByQuery(`https://a.example/x?${query}`)).toBe(false))

  test("[G11] case and separators never hide a name", () => {
    const sign = fc.constantFrom("-", "_", ".", "")
    const word = fc.constantFrom("xhttpmethodoverride", "xhttpmethod", "xmethodoverride", "httpmethodoverride")
    const spelled = fc.tuple(word, fc.array(fc.tuple(fc.boolean(), sign), { minLength: 22, maxLength: 22 })).map(([letters, how]) =>
      letters
        .split("")
        .map((c, i) => (how[i]?.[0] ? c.toUpperCase() : c) + (how[i]?.[1] ?? ""))
        .join(""),
    )
    fc.assert(
      fc.property(spelled, (name) => {
        expect(isOverrideHeader(name)).toBe(true)
        expect(queryOverrides(`a=1&${name}=x`)).toBe(true)
      }),
    )
  })

  test("[G11] a long query takes time in proportion to its length", () => {
    const query = "_methox=1&".repeat(100_000)
    const spent = cpuClock()
    expect(queryOverrides(query)).toBe(false)
    expect(spent()).toBeLessThan(8_000)
  })
})

const url = "https://a.example/x"
const three = (tool: Parameters<typeof writes>[0], args: JsonObject) => [
  goingOut(tool, args)?.writes,
  writes(tool, args),
  isWrite(tool, args),
]

describe("requests", () => {
  test.each(HEADERS)("[G11] web.fetch with the header %s writes", (name) => {
    expect(three(webFetch, { url, headers: { accept: "x", [name]: "DELETE" } })).toEqual([true, true, true])
    expect(three(webFetch, { url, method: "HEAD", headers: { [name]: "GET" } })).toEqual([true, true, true])
  })
  test.each(QUERIES)("[G11] web.fetch and browser.navigate to ?%s write", (query) => {
    for (const tool of [webFetch, browserNavigate]) expect(three(tool, { url: `${url}?${query}` })).toEqual([true, true, true])
  })
  test("[G11] an ordinary GET still looks", () => {
    for (const name of HARMLESS) expect(three(webFetch, { url, headers: { [name]: "DELETE" } })).toEqual([false, false, false])
    for (const query of PLAIN) expect(three(webFetch, { url: `${url}?${query}` })).toEqual([false, false, false])
  })

  const registered = (request: JsonObject, more: JsonObject = {}) => {
    const parameters = { type: "object", properties: { m: { type: "string" }, n: { type: "string" } } }
    const def = readHttpTool("t", { description: "d", parameters, request: { method: "GET", url, ...request }, ...more })
    if (!def.ok) throw new Error(JSON.stringify(def.error))
    return httpSpec(def.value)
  }
  test.each([
    ["a fixed header", { headers: { "X-HTTP-Method-Override": "DELETE" } }],
    ["a header from a template", { headers: { "x-method-override": "${{args.m}}" } }],
    ["a fixed parameter", { url: `${url}?_method=DELETE` }],
    ["a parameter from a template", { url: `${url}?a=1&_method=\${{args.m}}` }],
    ["a plain parameter whose value is a template", { url: `${url}?method=\${{args.m}}` }],
    ["a parameter with a name from a template", { url: `${url}?\${{args.n}}=\${{args.m}}` }],
  ])("[G11] a registered tool that looks, with %s, writes", (_, request) => {
    const spec = registered(request)
    expect([spec.effect, ...three(spec, { m: "GET" })]).toEqual(["write", true, true, true])
    expect(goingOut(registered(request, { effect: "read" }), { m: "GET" })?.writes).toBe(true)
  })
  test("[G11] a registered tool that only looks still does", () => {
    const spec = registered({ url: `${url}?a=\${{args.m}}&\${{args.n}}`, headers: { "x-trace": "${{args.m}}" } })
    expect([spec.effect, ...three(spec, { m: "x" })]).toEqual(["read", false, false, false])
  })

  test.each(["header", "query"])("[G11] an operation of an OpenAPI document with such a %s parameter writes", (place) => {
    const name = place === "header" ? "X-HTTP-Method-Override" : "_method"
    const document = {
      openapi: "3.1.0",
      info: { title: "t", version: "1" },
      servers: [{ url: "https://a.example" }],
      paths: { "/x": { get: { operationId: "getX", parameters: [{ name, in: place, schema: { type: "string" } }] } } },
    }
    const read = whole(importOpenApi(document, {}))
    const imported = read.ok ? read.value.tools[0] : undefined
    const def = imported && readHttpTool(imported.name, imported.registration)
    const tool = def?.ok ? httpSpec(def.value) : undefined
    expect(tool && [tool.effect, ...three(tool, {})]).toEqual(["write", true, true, true])
  })

  // The import of OpenAPI makes `members` of every exploded object.
  const exploded = (style: "members" | "deep", name = "filter") =>
    httpSpec({
      kind: "http",
      name: "t",
      description: "d",
      parameters: { type: "object", properties: { filter: { type: "object" }, c: { type: "string" } } },
      request: {
        method: "GET",
        url: `${url}?${name}=\${{args.filter}}`,
        headers: { cookie: "${{args.c}}" },
        styles: { query: { [name]: style } },
      },
    })
  test.each([
    { filter: { _method: "DELETE" } },
    { filter: { a: "1", "X-HTTP-Method-Override": "PUT" } },
    { filter: { "%5Fmethod": "DELETE" } },
    { filter: { "[_method]": "DELETE" } },
    { filter: { "_method[]": "DELETE" } },
    { filter: { method: "delete" } },
    { filter: { "a&_method": "DELETE" } },
    { c: "a=1; _method=DELETE" },
  ])("[G11] a GET whose arguments make the name of a parameter writes: %j", (args) => {
    expect(three(exploded("members"), args)).toEqual([true, true, true])
  })
  test.each([
    { filter: { method: "GET", q: "_method" } },
    { filter: { a: { _method: "x" } } },
    { filter: "_method=DELETE" },
    { c: "method=x" },
    {},
  ])("[G11] and looks otherwise: %j", (args) => {
    expect(three(exploded("members"), args)).toEqual([false, false, false])
    expect(exploded("members").effect).toBe("read")
  })
  test("[G11] a parameter of the form a[b] is called a", () => {
    expect(three(exploded("deep"), { filter: { _method: "DELETE" } })).toEqual([false, false, false])
    expect(three(exploded("deep", "_method"), { filter: { x: "DELETE" } })).toEqual([true, true, true])
  })
  test("[G11] an imported operation with an exploded object is judged by each call", () => {
    const openapi = {
      openapi: "3.1.0",
      info: { title: "t", version: "1" },
      servers: [{ url: "https://a.example" }],
      paths: {
        "/x": {
          get: {
            operationId: "list",
            summary: "Lists",
            parameters: [
              { name: "filter", in: "query", explode: true, schema: { type: "object", additionalProperties: { type: "string" } } },
            ],
            responses: { 200: { description: "ok" } },
          },
        },
      },
    }
    const made = whole(importOpenApi(JSON.parse(JSON.stringify(openapi)), {}))
    if (!made.ok) throw new Error(JSON.stringify(made.error))
    const [tool] = made.value.tools.map(({ name, registration }) => {
      const def = readHttpTool(name, registration)
      if (!def.ok) throw new Error(JSON.stringify(def.error))
      return httpSpec(def.value)
    })
    if (tool === undefined) throw new Error("nothing was imported")
    expect(three(tool, { filter: { color: "red" } })).toEqual([false, false, false])
    expect(three(tool, { filter: { _method: "DELETE" } })).toEqual([true, true, true])
  })
})
