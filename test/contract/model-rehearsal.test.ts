// The built-in rehearsal model: finishes that fit their schema, loops that end, turns of the flow's rehearsal file.

import { describe, expect, test, vi } from "vitest"
import fc from "fast-check"
import { Validator } from "@cfworker/json-schema"
import { finalizeSchema, finishSchema } from "../../src/core/flow/finish-schema.ts"
import type { OutputSpec } from "../../src/core/flow/agent.ts"
import { parseRehearsal } from "../../src/core/case/rehearsal.ts"
import type { JsonSchema } from "../../src/core/json.ts"
import { matching } from "../../src/models/rehearsed/pattern.ts"
import { rehearsalModel } from "../../src/models/rehearsed/rehearsal.ts"
import { sample } from "../../src/models/rehearsed/sample.ts"
import type { FlowPosition } from "../../src/ports/model.ts"
import { heard, place, request } from "./model.ts"

const output = (name: string, more: Partial<OutputSpec> = {}): OutputSpec => ({ name, type: "string", required: true, ...more })

async function finished(parameters: JsonSchema, at: Partial<FlowPosition> = {}): Promise<Record<string, unknown>> {
  const tools = [{ name: "finish", description: "", parameters }]
  const { final } = await heard(rehearsalModel(undefined), request({ tools, place: { ...place, ...at } }))
  expect(final.toolCalls).toHaveLength(1)
  const args: unknown = JSON.parse(final.toolCalls[0]?.args ?? "")
  expect(new Validator(JSON.parse(JSON.stringify(parameters)), "2020-12", false).validate(args).errors).toEqual([])
  return args as Record<string, unknown>
}

describe("the built-in answer", () => {
  test("[M3] it finishes at once with a finish that fits the schema, every output filled", async () => {
    const outputs = [
      output("verdict", { pattern: "^(APPROVED|REJECTED)$" }),
      output("version", { pattern: "^v\\d+\\.\\d+$" }),
      output("score", { type: "number" }),
      output("sure", { type: "boolean" }),
      output("facts", { type: "object" }),
      output("tags", { type: "array" }),
      output("note", { required: false }),
    ]
    expect(await finished(finishSchema(outputs))).toEqual({
      status: "complete",
      summary: "Rehearsed: draft",
      files: [],
      artifacts: "rehearsed artifacts",
      verdict: "APPROVED",
      version: "v0.0",
      score: 1,
      sure: true,
      facts: {},
      tags: [],
      note: "rehearsed note",
    })
  })

  test("[M3] the same place gives the same reply, including ids", async () => {
    const once = await heard(rehearsalModel(undefined))
    expect(await heard(rehearsalModel(undefined))).toEqual(once)
    expect(once.final.usage).toEqual({ input: 0, output: 0 })
  })

  test("[M3] a loop decision loops once, then exits; with a cap of one it exits at once", async () => {
    const schema = finishSchema([], { labels: ["loop", "exit"], several: false })
    const branches: unknown[] = []
    for (const loop of [
      { iteration: 1, max: 3 },
      { iteration: 2, max: 3 },
      { iteration: 3, max: 3 },
      { iteration: 1, max: 1 },
    ]) {
      branches.push((await finished(schema, { loop }))["branch"])
    }
    expect(branches).toEqual(["loop", "exit", "exit", "exit"])
  })

  test("[M3] any other decision takes its labels in turn, one per pass", async () => {
    const schema = finishSchema([], { labels: ["redo", "accept", "reject"], several: false })
    const branches: unknown[] = []
    for (const pass of [1, 2, 3, 4]) branches.push((await finished(schema, { pass, branches: ["redo", "accept", "reject"] }))["branch"])
    expect(branches).toEqual(["redo", "accept", "reject", "redo"])
  })

  test("[M3] with the other finishing tool it succeeds in that tool's fields; without any there is text", async () => {
    const outputs = [{ name: "score", type: "number", required: true }] as const
    const tools = [
      { name: "subagent_finalize", description: "", parameters: finalizeSchema(outputs, { labels: ["left", "right"], several: false }) },
    ]
    const { final } = await heard(rehearsalModel(undefined), request({ tools }))
    expect(final.toolCalls[0]?.name).toBe("subagent_finalize")
    expect(JSON.parse(final.toolCalls[0]?.args ?? "")).toEqual({ status: "SUCCESS", result: "Rehearsed: draft", branch: "left", score: 1 })
    expect((await heard(rehearsalModel(undefined), request({ tools: [] }))).final).toMatchObject({
      text: "Rehearsed: draft",
      stopReason: "stop",
    })
  })
})

describe("the flow's rehearsal file", () => {
  test.each([
    ["{ status: complete, summary: done }", { status: "SUCCESS", result: "done" }],
    ["{ status: blocked, summary: no key, artifacts: half }", { status: "ERROR", error: "no key", result: "half" }],
    ["{ status: SUCCESS, result: done }", { status: "SUCCESS", result: "done" }],
    ["{ summary: nothing else }", { summary: "nothing else" }],
  ])("[M3] a scripted finish %s uses the fields of the offered tool", async (finish, args) => {
    const tools = [{ name: "subagent_finalize", description: "", parameters: finalizeSchema([]) }]
    const { rehearsal } = parseRehearsal(`steps:\n  draft:\n    - finish: ${finish}\n`)
    const { final } = await heard(rehearsalModel(rehearsal), request({ tools }))
    expect(final.toolCalls.map((c) => [c.name, JSON.parse(c.args)])).toEqual([["subagent_finalize", args]])
  })

  const scripted = (yaml: string) => {
    const { rehearsal, diagnostics } = parseRehearsal(yaml)
    expect(diagnostics).toEqual([])
    return rehearsalModel(rehearsal)
  }
  const at = (more: Partial<FlowPosition>) => request({ place: { ...place, ...more } })

  test("[M3] turns, passes and errors are played in order; unlisted steps, and turns after a group, are built in", async () => {
    const model = scripted(`steps:
  draft:
    - error: { status: 429, retry_after: 2 }
    - text: I shall look.
      calls: [{ tool: read, args: { path: a.md } }]
    - finish: { status: complete, summary: first }
    - finish: { status: complete, summary: second }
`)
    expect((await heard(model, at({}))).final.error).toMatchObject({ status: 429, retryable: true, retryAfter: 2000 })
    expect((await heard(model, at({ failures: 1 }))).final).toMatchObject({
      text: "I shall look.",
      stopReason: "toolUse",
      toolCalls: [{ name: "read" }],
    })
    expect((await heard(model, at({ failures: 1, turn: 1 }))).final.toolCalls[0]?.args).toContain("first")
    expect((await heard(model, at({ failures: 1, turn: 2 }))).final.toolCalls[0]?.args).toContain("Rehearsed: draft")
    expect((await heard(model, at({ pass: 2 }))).final.toolCalls[0]?.args).toContain("second")
    expect((await heard(model, at({ pass: 5 }))).final.toolCalls[0]?.args).toContain("second")
    expect((await heard(model, at({ step: "constructor" }))).final.toolCalls[0]?.args).toContain("Rehearsed: constructor")
  })

  test("[M3] a delay is respected, and an abort ends it at once", async () => {
    const model = scripted("steps: { draft: [ { delay: 5m, finish: { status: complete, summary: late } } ] }")
    const stop = new AbortController()
    const reply = heard(model, request(), stop.signal)
    stop.abort()
    expect((await reply).final).toMatchObject({ stopReason: "aborted", toolCalls: [] })

    vi.useFakeTimers()
    let said = ""
    const soon = heard(scripted("steps: { draft: [ { delay: 60ms, text: soon } ] }")).then(({ final }) => (said = final.text))
    await vi.advanceTimersByTimeAsync(59)
    expect(said).toBe("")
    await vi.advanceTimersByTimeAsync(1)
    await soon
    expect(said).toBe("soon")
    vi.useRealTimers()
  })

  test("[M3] an error without a status is a lost connection", async () => {
    const { final } = await heard(scripted("steps: { draft: [ { error: { message: the line went dead } } ] }"))
    expect(final.error).toEqual({ message: "the line went dead", retryable: true })
  })
})

describe("samples", () => {
  test.each([
    ["^[A-Z]{3}-\\d{4}$", "AAA-0000"],
    ["^(?:low|medium|high)$", "low"],
    ["^https://[a-z.]+/\\w+$", "https://a/a"],
    ["^\\d{4}-\\d{2}-\\d{2}$", "0000-00-00"],
    ["^#{1,3} .+", "# a"],
    ["^[^a-z]$", "A"],
    ["yes|no", "yes"],
    ["^$", ""],
    ["^(?=.*\\d)[a-z0-9]+$", "1"],
    ["^(\\w)\\1$", undefined],
  ])("[M3] pattern %s gives %s", (pattern, text) => {
    expect(matching(pattern)).toBe(text)
  })

  test("[M3] a pattern with a length is matched by repeating its repeatable parts", () => {
    expect(matching("^[a-z]+$", 12, 20)).toMatch(/^[a-z]{12,20}$/)
    expect(matching("^a*$", 0, 0)).toBe("")
  })

  test("[M3] the sample fits any simple schema", () => {
    const leaf = fc.oneof(
      fc.record({ type: fc.constant("string"), minLength: fc.nat(30), maxLength: fc.integer({ min: 30, max: 60 }) }),
      fc.record({ type: fc.constant("string"), pattern: fc.constantFrom("^[a-f0-9]{8}$", "^(a|b)+$", "^v\\d+$", "\\S") }),
      fc.record({ type: fc.constant("string"), enum: fc.array(fc.string(), { minLength: 1 }) }),
      fc.record({
        type: fc.constantFrom("number", "integer"),
        minimum: fc.integer({ min: -50, max: 50 }),
        maximum: fc.integer({ min: 50, max: 99 }),
      }),
      fc.record({
        type: fc.constant("integer"),
        multipleOf: fc.integer({ min: 2, max: 9 }),
        exclusiveMinimum: fc.integer({ min: -20, max: 20 }),
      }),
      fc.record({ type: fc.constantFrom("boolean", "null", ["null", "string"]) }),
      fc.record({ const: fc.oneof(fc.string(), fc.integer(), fc.constant(null)) }),
    )
    const schema = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 3 },
        leaf,
        fc.record({ type: fc.constant("array"), items: tie("any"), minItems: fc.nat(3) }),
        fc
          .dictionary(fc.stringMatching(/^[a-z]{1,5}$/), tie("any"), { maxKeys: 4 })
          .map((properties) => ({ type: "object", properties, required: Object.keys(properties), additionalProperties: false })),
        fc.array(tie("any"), { minLength: 1, maxLength: 2 }).map((anyOf) => ({ anyOf })),
      ),
    })).any
    fc.assert(
      fc.property(schema, (any) => {
        const plain = JSON.parse(JSON.stringify(any)) as JsonSchema
        const value = sample(plain, "x")
        return new Validator(JSON.parse(JSON.stringify(plain)), "2020-12").validate(value).valid
      }),
      { numRuns: 300, seed: 7 },
    )
  })

  test("[M3] references, examples and defaults are used", () => {
    const schema = {
      type: "object",
      $defs: { id: { type: "string", pattern: "^[a-z]{4}$" } },
      properties: {
        id: { $ref: "#/$defs/id" },
        when: { type: "string", format: "date" },
        how: { type: "string", examples: ["by hand"] },
        many: { type: "integer", default: 3 },
      },
      allOf: [{ properties: { more: { type: "boolean" } } }],
    }
    expect(sample(schema, "x")).toEqual({ id: "aaaa", when: "2026-01-01", how: "by hand", many: 3, more: true })
  })
})
