// Every member of a request has a greatest size [H3]: of a body, a query parameter, a header. The answers are the server's own.

import { describe, expect, test } from "vitest"
import { z } from "zod"
import { statusIn } from "../../src/api/route/error-forms.ts"
import { API } from "../../src/api/api.ts"
import { BundleBody, ImportBody, PackageBody } from "../../src/api/catalog.ts"
import { SHAPES } from "../../src/api/doc/api.doc.ts"
import { MAX_PATH_PARAMETER, type RouteDoc } from "../../src/api/route/route.ts"
import { isObject } from "../../src/core/json.ts"
import { bodyFaults } from "../../src/core/schema/body-faults.ts"
import { openApi } from "../../src/http/openapi/document.ts"
import { runId, setUp } from "../support/http/ask.ts"
import { codeIn } from "../support/http/documented-answer.ts"
import { isPatternBounded, unboundedMembers } from "./unbounded-members.ts"

const OPERATIONS: readonly (readonly [string, RouteDoc])[] = Object.entries(API)
const BODIES = OPERATIONS.flatMap(([id, { body }]) => (body === undefined ? [] : [[id, body] as const]))
const schemaOf = (schema: z.ZodType): unknown => z.toJSONSchema(schema, { io: "input", unrepresentable: "any" })

/** Bodies that are one value, text or bytes, and what bounds each besides the size of a body. */
const WHOLE: Readonly<Record<string, string>> = {
  A2aSending: "the size of a body, LARGE_BODY of api/route/route.ts, and the reader protocols/a2a/message.ts",
  A2aRequest: "the same",
  A2aPush: "the reader protocols/a2a/push.ts",
  ChatCompletionRequest: "the size of a body, LARGE_BODY of api/route/route.ts, and core/run/protocol/conversation.ts",
  ResponseRequest: "the same as ChatCompletionRequest",
  UiChatRequest: "the same",
  RunAgentInput: "the same, and the reader protocols/agui/body.ts",
  text: "the parser of its kind of file: core/flow/parse/yaml-scan.ts, core/flow/code-file.ts",
  bytes: "MAX_BYTES of core/webhook or MOST_BYTES of engine/import/zip.ts",
  json: "one JSON value: a signal's payload by MAX_SIGNAL_CHARS of core/steps/wait.ts, a reference by MAX_ARG_BYTES of core/schema/arg-value.ts",
  object: "arguments of a tool: MAX_ARG_BYTES of core/schema/arg-value.ts, and the schema of each tool (tool-bounds.test.ts)",
}

describe("what a request carries", () => {
  test.each(BODIES)("[H3] every member of the body of %s is bounded", (_, body) => {
    expect(unboundedMembers(schemaOf(body))).toEqual([])
  })

  test("[H3] so is every query parameter and every header", () => {
    const open = OPERATIONS.flatMap(([id, { query, headers }]) =>
      Object.entries({ ...query, ...headers }).flatMap(([name, { schema }]) => unboundedMembers(schema, `${id} ${name}`)),
    )
    expect(open).toEqual([])
  })

  test("[H3] so is every body with a parser of its own", () => {
    const names = [...new Set(OPERATIONS.flatMap(([, { media = {} }]) => Object.values(media)))].filter((name) => !(name in WHOLE))
    expect(names.flatMap((name) => unboundedMembers(schemaOf(SHAPES[name] ?? z.unknown()), name))).toEqual([])
  })

  test("[H11] the document shows the bounds of parameters, those of paths too", () => {
    const paths = openApi("1")["paths"]
    const operations = Object.values(isObject(paths) ? paths : {}).flatMap((path) => Object.values(isObject(path) ? path : {}))
    const parameters = operations.flatMap((operation) =>
      isObject(operation) && Array.isArray(operation["parameters"]) ? operation["parameters"].filter((one) => isObject(one)) : [],
    )
    expect(parameters.length).toBeGreaterThan(100)
    for (const { $ref: ref, name, schema } of parameters) if (ref === undefined) expect(unboundedMembers(schema, String(name))).toEqual([])
  })
})

describe("beyond a bound", () => {
  /** A value for each bounded member at the top of a body that passes its bound by one. */
  const beyond = BODIES.flatMap(([id, body]) => {
    const schema = schemaOf(body)
    const properties = isObject(schema) && isObject(schema["properties"]) ? schema["properties"] : {}
    return Object.entries(properties).flatMap(([name, member]): [string, string, z.ZodType, unknown, number][] => {
      if (!isObject(member)) return []
      const { maxLength, maxItems, maxProperties, type } = member
      const chars = member["x-maxChars"]
      if (typeof maxLength === "number" && member["pattern"] === undefined)
        return [[id, name, body, "x".repeat(maxLength + 1), maxLength + 1]]
      if (typeof maxItems === "number") return [[id, name, body, Array.from({ length: maxItems + 1 }, () => "x"), maxItems + 1]]
      // Members that are objects need a value that fits: their own tests pass the bound.
      const hasObjects = isObject(member["additionalProperties"]) && member["additionalProperties"]["type"] === "object"
      if (typeof maxProperties === "number" && !hasObjects)
        return [
          [id, name, body, Object.fromEntries(Array.from({ length: maxProperties + 1 }, (_, n) => [`n${n}`, "x"])), maxProperties + 1],
        ]
      const hasLists = isObject(member["additionalProperties"]) && member["additionalProperties"]["type"] === "array"
      if (typeof chars === "number" && type === "object")
        return [[id, name, body, { a: hasLists ? ["x".repeat(chars)] : "x".repeat(chars) }, chars + (hasLists ? 10 : 8)]]
      return []
    })
  })

  test("[H3] there are many such members", () => expect(beyond.length).toBeGreaterThan(40))

  test.each(beyond)("[H3] %s: %s beyond its bound is a fault with its place, its limit and its size", (_, name, body, value, size) => {
    const given = { [name]: value }
    const faults = bodyFaults(body, given, body.safeParse(given).error?.issues ?? [], 50)
    const fault = faults.find(({ pointer, message }) => pointer === `/${name}` && message.includes(String(size)))
    expect(fault, JSON.stringify(faults).slice(0, 300)).toBeDefined()
    expect(fault?.message).toMatch(/at most \d+/)
  })

  test("[H3] a path in a bundle, and in an import, has at most 1,024 characters", () => {
    const path = "p".repeat(1_025)
    for (const [body, member] of [
      [BundleBody, "flows"],
      [PackageBody, "skills"],
      [ImportBody, "files"],
    ] as const) {
      const given = { version: "1", [member]: { [path]: "x" } }
      const faults = bodyFaults(body, given, body.safeParse(given).error?.issues ?? [], 50)
      const fault = faults.find(({ pointer }) => pointer.startsWith(`/${member}/ppp`))
      expect(fault?.message).toBe("the name has 1025 characters; at most 1024 are allowed")
    }
  })

  /** Ids that are well formed. A place that does not exist is as good: parameters are judged first. */
  const pathOf = (path: string): string =>
    path.replace(":run", runId("a")).replace(/:\w+(?:\{([^}]*)\})?/g, (_, own = "x") => own.replace("[^/]+", "x").replace(".+", "x"))
  const parameters = OPERATIONS.flatMap(([id, route]) =>
    (["query", "headers"] as const).flatMap((where) =>
      Object.entries(route[where] ?? {}).flatMap(([name, { schema }]) =>
        typeof schema["maxLength"] === "number" ? [[id, name, where, route, schema["maxLength"]] as const] : [],
      ),
    ),
  )

  test.each(parameters)("[H3] %s: the parameter %s beyond its bound is 422", async (_, name, where, route, most) => {
    const { ask } = setUp()
    const long = "x".repeat(most + 1)
    const path = pathOf(route.path)
    const answer = await ask(route.method, where === "query" ? `${path}?${name}=${long}` : path, {
      ...(route.scope === "instance" ? { key: "key-admin" } : {}),
      ...(where === "headers" ? { headers: { [name]: long } } : {}),
    })
    expect([answer.status, codeIn(answer.body, route.errors)]).toEqual([statusIn(route.errors, "invalid"), "invalid"])
    expect(answer.text).toContain(`has ${most + 1} characters; at most ${most} are allowed`)
    expect(answer.text).toContain(name)
  })

  test("[H2] a part of a path that is longer than any id is 404", async () => {
    const { ask } = setUp()
    for (const [method, path] of [
      ["GET", "/v1/flows/"],
      ["PUT", "/v1/flows/"],
      ["GET", `/v1/runs/${runId("a")}/files/`],
      ["DELETE", "/v1/objects/a/"],
    ] as const)
      expect([path, (await ask(method, path + "x".repeat(MAX_PATH_PARAMETER + 1))).status]).toEqual([path, 404])
  })
})

test("[H3] what the test calls bounded is bounded", () => {
  const open = unboundedMembers({
    type: "object",
    properties: {
      text: { type: "string" },
      tags: { type: "array", items: { type: "string", maxLength: 3 } },
      map: { type: "object", additionalProperties: { type: "number" } },
      any: {},
      fine: { type: "string", pattern: "^[a-z*+|]{1,9}$" },
      wide: {
        anyOf: [
          { type: "string", maxLength: 1 },
          { type: "integer", minimum: 0 },
        ],
      },
    },
    additionalProperties: false,
  })
  expect(open).toEqual([
    "text: a string without maxLength",
    "tags: a list without maxItems",
    "map: an object without maxProperties",
    "map: names without maxLength",
    "map.*: a number without a range",
    "any: any value",
    "wide: a number without a range",
  ])
  for (const pattern of ["^a+$", "a{1,3}", "^a{1,}$", "^a{1,3}$|b", "^(a*)$"])
    expect([pattern, isPatternBounded(pattern)]).toEqual([pattern, false])
  for (const pattern of ["^a{1,3}$", "^[^\\s@][^\\s]{0,199}$", "^\\+[0-9]{2}$"])
    expect([pattern, isPatternBounded(pattern)]).toEqual([pattern, true])
})
