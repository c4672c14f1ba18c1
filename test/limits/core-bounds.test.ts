// Bounds that no other test passes: at the bound all is well, one more is answered as `npm run limits` says.

import { GateBody } from "../../src/core/tool/policy/gate-setting.ts"
import { describe, expect, test } from "vitest"
import { checkInputs } from "../../src/core/flow/flow-inputs.ts"
import { isInstanceName } from "../../src/core/instance-name.ts"
import type { JsonObject } from "../../src/core/json.ts"
import { Amount, Price } from "../../src/core/money/amount.ts"
import { readPlanBody } from "../../src/core/plans/plan-body.ts"
import { parsePolicy } from "../../src/core/tool/policy/parse-policy.ts"
import { readReferenceKind } from "../../src/core/references/reference-kind.ts"
import { readCalls } from "../../src/core/run/session/calls.ts"
import { matchExpression } from "../../src/core/text/match-expression.ts"
import { readHttpTool } from "../../src/core/tool/http-tool.ts"
import { lintTool } from "../../src/core/tool/lint-tool.ts"
import { importOpenApi } from "../../src/core/tool/openapi.ts"
import { readMapping, templateFaults } from "../../src/core/webhook/mapping.ts"
import { withHeader } from "../../src/core/flow/code-bundle.ts"
import { readHandler } from "../../src/engine/code/handler-source.ts"
import { normalizeSchema } from "../../src/engine/dialects/normalize-schema.ts"
import { judgeCallback } from "../../src/engine/net/callback-address.ts"
import { cronFaults } from "../../src/engine/time/cron.ts"
import { flowName } from "../../src/mcp/tool-names.ts"
import { sample } from "../../src/models/rehearsed/sample.ts"
import { setUp } from "../support/http/ask.ts"
import { whole } from "../support/whole.ts"

const many = <T>(count: number, of: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => of(n))
const bundleBytes = (text: string): number => withHeader({ files: [], packages: [], lines: [] }, text).length
const object = (count: number, value: unknown): JsonObject => Object.fromEntries(many(count, (n) => [`n${n}`, value])) as JsonObject

describe("definitions", () => {
  test("[N2] an instance's name has at most 31 characters", () => {
    expect([31, 32].map((length) => isInstanceName("a".repeat(length)))).toEqual([true, false])
  })

  test("[F24] a handler has at most 256 KiB, 150,000 tokens and 5,000 names of one scope; a bundled one 1 MiB and 200,000 tokens", () => {
    const code = (text: string) => {
      const read = readHandler(text, "js")
      return read.ok ? "" : `${read.error.code} ${read.error.message}`
    }
    const whole = (bytes: number) => `//${"x".repeat(bytes - 2)}`
    expect(code(whole(262_144))).toBe("")
    expect(code(whole(262_145))).toBe("CV-LIMIT the handler is larger than 256 KiB")
    expect(code(";".repeat(150_100))).toMatch(/^CV-LIMIT /)
    expect(code(many(5_100, (n) => `let a${n}`).join("\n"))).toMatch(/^CV-LIMIT /)
    expect(code(many(6_000, (n) => `{ let a${n} }`).join("\n"))).toBe("")
    const bundle = (text: string) => code(withHeader({ files: [], packages: [], lines: [] }, text))
    const header = bundleBytes("")
    expect(bundle(whole(1_048_576 - header))).toBe("")
    expect(bundle(whole(1_048_577 - header))).toBe("CV-LIMIT the bundled handler is larger than 1024 KiB")
    expect([bundle(";".repeat(199_900)), bundle(";".repeat(200_100))]).toEqual(["", expect.stringMatching(/^CV-LIMIT /)])
  })

  test("[H3] unknown inputs of a start: 50 are named, and a sentence stands for the rest", () => {
    const checked = checkInputs({}, object(500, 1))
    expect(checked.ok ? 0 : checked.error.length).toBe(51)
  })

  test("[B1] an amount of money, or a price, has at most a billion dollars", () => {
    expect([1e9, 1e9 + 1, Number.MAX_VALUE].map((usd) => Amount.safeParse({ usd }).success)).toEqual([true, false, false])
    expect([1e9, 1e9 + 1].map((input) => Price.safeParse({ input, output: 0 }).success)).toEqual([true, false])
  })

  test("[K24] rules of the gate: 100", () => {
    const rules = (count: number) => GateBody.safeParse({ flows: many(count, () => ({ match: "f" })) }).success
    expect([rules(100), rules(101)]).toEqual([true, false])
    const recorded = (last: number) => GateBody.safeParse({ flows: [{ match: "f", backtest: { last } }] }).success
    expect([recorded(50), recorded(51)]).toEqual([true, false])
  })

  test("[V40] a rule's scores: margins of 0.01 to 0.5, 10 scorers, 10 repeats", () => {
    const takes = (score: object) =>
      GateBody.safeParse({ flows: [{ match: "f", score: { dataset: "d", scorers: { s: 0.05 }, ...score } }] }).success
    expect([0.009, 0.01, 0.5, 0.51].map((margin) => takes({ scorers: { s: margin } }))).toEqual([false, true, true, false])
    expect([0, 1, 10, 11].map((count) => takes({ scorers: object(count, 0.05) }))).toEqual([false, true, true, false])
    expect([0, 1, 10, 11].map((repeats) => takes({ repeats }))).toEqual([false, true, true, false])
    expect([{ usd: 3 }, { tokens: 9 }, { steps: 2 }].map((budget) => takes({ budget }))).toEqual([true, true, false])
  })

  test("[T41] actions and references of a plan: 500, and 100 each", () => {
    const spec = { name: "p", schema: { type: "object" } }
    const read = (actions: number, references: number) =>
      readPlanBody(spec, {
        actions: many(actions, () => ({ kind: "k", references: many(references, (n) => ({ kind: "r", id: `${n}` })) })),
      }).ok
    expect([read(500, 0), read(501, 0), read(1, 100), read(1, 101)]).toEqual([true, false, true, false])
  })

  test("[T30] a policy: 500 entries of a list, 200 characters of a name, 1,000 of a pattern and a reason", () => {
    const allowed = (policy: unknown) => parsePolicy(policy).ok
    expect([500, 501].map((n) => allowed({ tools: { allow: many(n, (i) => `t${i}`) } }))).toEqual([true, false])
    expect([500, 501].map((n) => allowed({ denylist: many(n, () => ({ tool: "a", reason: "r" })) }))).toEqual([true, false])
    expect([500, 501].map((n) => allowed({ tools: { agents: object(n, {}) } }))).toEqual([true, false])
    expect([200, 201].map((n) => allowed({ tools: { deny: ["x".repeat(n)] } }))).toEqual([true, false])
    expect([1_000, 1_001].map((n) => allowed({ denylist: [{ tool: "a", args: "x".repeat(n), reason: "r" }] }))).toEqual([true, false])
    expect([1_000, 1_001].map((n) => allowed({ denylist: [{ tool: "a", reason: "x".repeat(n) }] }))).toEqual([true, false])
  })

  test("[T40] a glimpse: 50 fields, 100 items of a list", () => {
    const kind = (glimpse: unknown) => readReferenceKind("k", { schema: { type: "object" }, glimpse }).ok
    expect([50, 51].map((n) => kind({ fields: many(n, (i) => `f${i}`) }))).toEqual([true, false])
    expect([100, 101].map((n) => kind({ max_items: n }))).toEqual([true, false])
  })

  test("[W1] a hook's mapping: 100 inputs, 20,000 characters of a template", () => {
    expect([100, 101].map((n) => readMapping({ inputs: object(n, "x") }, "").ok)).toEqual([true, false])
    expect([20_000, 20_001].map((n) => templateFaults("x".repeat(n), "").length)).toEqual([0, 1])
  })

  test("[W5] a cron expression has at most 200 characters", () => {
    const cron = (length: number) => `${"0,".repeat(length).slice(0, length - 9)}0 * * * *`
    expect(cronFaults(cron(200), "UTC").map(({ message }) => message)).not.toContain("has more than 200 characters")
    expect(cronFaults(cron(201), "UTC")).toEqual([{ field: "cron", message: "has more than 200 characters" }])
  })

  test("[W6] a receiver's address has at most 2,000 characters", () => {
    const url = (length: number) => "https://example.com/".padEnd(length, "x")
    expect([2_000, 2_001].map((length) => judgeCallback(url(length), { allowPrivate: [] }).ok)).toEqual([true, false])
  })
})

describe("tools", () => {
  const TOOL = { description: "d", parameters: { type: "object", properties: {} }, request: { method: "GET", url: "https://a.example/" } }

  test("[T26] a registered tool: 600,000 ms, and 50 faults are told", () => {
    expect([600_000, 600_001].map((timeout) => readHttpTool("t", { ...TOOL, timeout }).ok)).toEqual([true, false])
    const read = readHttpTool("t", { ...TOOL, request: { ...TOOL.request, headers: object(99, 5) } })
    expect(read.ok ? 0 : read.error.length).toBe(50)
  })

  test("[T26] operations of an import: 1,000", () => {
    const document = (count: number) => ({
      openapi: "3.1.0",
      servers: [{ url: "https://a.example" }],
      paths: Object.fromEntries(many(count, (n) => [`/p${n}`, { get: { operationId: `o${n}`, responses: {} } }])),
    })
    expect([1_000, 1_001].map((count) => whole(importOpenApi(document(count), {})).ok)).toEqual([true, false])
  })

  test("[T26] 50 weaknesses of a tool are told, down to 20 levels", () => {
    const spec = (parameters: JsonObject) => ({ name: "a_b", description: "d", parameters })
    expect(lintTool(spec({ type: "object", properties: object(99, { type: "string" }) }))).toHaveLength(50)
    const nested = (levels: number): JsonObject =>
      levels === 0 ? { type: "object", properties: { x: { type: "string" } } } : { type: "array", items: nested(levels - 1) }
    expect([20, 22].map((levels) => lintTool(spec(nested(levels))).length)).toEqual([1, 0])
  })

  test("[A1] the schema of a foreign tool: 256 KiB and 60 levels with its references inlined", () => {
    const large = (chars: number) => ({ type: "object", properties: { a: { type: "string", description: "x".repeat(chars) } } })
    expect([200_000, 300_000].map((chars) => normalizeSchema(large(chars)).ok)).toEqual([true, false])
    const nested = (levels: number): JsonObject =>
      levels === 0 ? { type: "string" } : { type: "object", properties: { a: nested(levels - 1) } }
    expect([20, 200].map((levels) => normalizeSchema(nested(levels)).ok)).toEqual([true, false])
  })

  test("[H12] the name of a flow over MCP has at most 64 characters; a longer one ends in a hash", async () => {
    const named = (length: number): Promise<string> => flowName("f".repeat(length), new Set())
    expect(await named(59)).toBe(`flow_${"f".repeat(59)}`)
    expect(await named(60)).toMatch(/^flow_f{48}-[0-9a-f]{10}$/)
  })
})

describe("texts", () => {
  test("[G6] arguments of a reply that are none: 200 characters are kept", () => {
    expect(readCalls([{ id: "a", name: "t", args: "x".repeat(5_000) }])[0]).toEqual({ id: "a", name: "t", args: {}, raw: "x".repeat(200) })
    expect(readCalls([{ id: "i".repeat(500), name: "n".repeat(500), args: "" }])[0]).toMatchObject({
      id: "i".repeat(64),
      name: "n".repeat(256),
    })
  })

  test("[T23] words of a search: the first 64 count", () => {
    expect(matchExpression(many(500, (n) => `w${n}`).join(" "))?.split(" OR ")).toHaveLength(64)
  })

  test("[M3] a rehearsed value has at most 8 levels", () => {
    const nested = (levels: number): JsonObject =>
      levels === 0 ? { const: "end" } : { type: "array", minItems: 1, items: nested(levels - 1) }
    expect([8, 9].map((levels) => JSON.stringify(sample(nested(levels), "a")).includes("end"))).toEqual([true, false])
  })
})

test("[B3] prices: 1,000 models", async () => {
  const { ask } = setUp()
  const put = async (count: number) =>
    (await ask("PUT", "/v1/settings/prices", { body: Object.fromEntries(many(count, (n) => [`p/m${n}`, { input: 1, output: 1 }])) })).status
  expect([await put(1_000), await put(1_001)]).toEqual([200, 422])
})
