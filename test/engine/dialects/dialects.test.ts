import { describe, expect, test } from "vitest"
import { z } from "zod"
import type { JsonObject } from "../../../src/core/json.ts"
import { defineTool, defineTools, textOf } from "../../../src/engine/dialects/define-tool.ts"
import { fromFlowai, toFlowai, type FlowaiContext } from "../../../src/engine/dialects/flowai.ts"
import { fromFlynn, toFlynn, type FlynnTool } from "../../../src/engine/dialects/flynn.ts"
import { normalizeSchema } from "../../../src/engine/dialects/normalize-schema.ts"
import { text, type Tool, type ToolPowers } from "../../../src/ports/tool.ts"
import { MemoryReferences } from "../../support/engine/memory-references.ts"

const none = (): Promise<never> => Promise.reject(new Error("no workspace here"))
const powers: ToolPowers = {
  workspace: { stat: none, read: none, list: none, survey: none, named: () => {}, write: none, remove: none, refusal: () => undefined },
  skills: { names: () => [], files: () => undefined, read: async () => undefined },
  place: { run: "run_1", agent: "worker" },
}
const signal = new AbortController().signal
const call = (tool: Tool, args: JsonObject = {}) => tool.execute("c1", args, signal, undefined, powers)
const execute = async () => text("ran")
const schema = (given: unknown): unknown => {
  const read = normalizeSchema(given)
  return read.ok ? read.value : read.error
}

describe("defineTool", () => {
  test("[T1] execute is called with five arguments in their order", async () => {
    const seen: unknown[][] = []
    const tool = defineTool({
      name: "spy",
      execute: async (...args) => {
        seen.push(args)
        args[3]?.(text("half"))
        return text("ok")
      },
    })
    await tool.execute("c1", { a: 1 }, signal, undefined, powers)
    expect(seen).toEqual([["c1", { a: 1 }, signal, undefined, powers]])
  })

  test("[T1] a tool that cannot run is refused when it is defined", () => {
    expect(() => defineTool({ name: "t", description: "d" })).toThrow("the tool t cannot be defined: execute: must be a function")
    expect(() => defineTool({ execute })).toThrow("needs a name")
  })

  test("[T2] keys in camelCase and snake_case mean the same; an unknown one is an error that names the nearest", () => {
    const one = defineTool({ name: "t", input_schema: { a: "str" }, required_secret_scopes: ["x"], execute })
    const other = defineTool({ name: "t", inputSchema: { a: "str" }, requiredSecretScopes: ["x"], execute })
    expect(one).toEqual(other)
    expect(one).toMatchObject({ requiredSecretScopes: ["x"], effect: "write", contexts: ["agent"], description: "" })
    expect(() => defineTool({ name: "t", descripton: "d", execute })).toThrow("descripton: is unknown; did you mean description?")
    expect(() => defineTool({ name: "t", parameters: {}, input_schema: {}, execute })).toThrow("is an alias of parameters")
    expect(() => defineTool({ name: "t", required_secret_scopes: [], requiredSecretScopes: [], execute })).toThrow("is given twice")
  })

  test.each([
    [{ approval: "sometimes" }, "approval"],
    [{ approval: { kind: "dynamic", value: "" } }, "approval"],
    [{ effect: "destroy" }, "effect"],
    [{ timeout: -1 }, "timeout"],
    [{ groups: ["nope"] }, "groups"],
    [{ untrusted: "yes" }, "untrusted"],
    [{ parameters: "text" }, "parameters"],
    [{ parameters: { type: "array" } }, "parameters"],
  ])("[T1] %j is refused by its key", (more, key) => {
    expect(() => defineTool({ name: "t", execute, ...more })).toThrow(`the tool t cannot be defined: ${key}`)
  })

  test("[T1] a line for the prompt and rules of use go where the tool goes, into its description", () => {
    const tool = defineTool({ name: "t", description: "Does it.", promptSnippet: "Short.", promptGuidelines: ["Once a day."], execute })
    expect(tool.description).toBe("Short.\nDoes it.\n- Once a day.")
  })

  test("[T2] tools made together share what they were made with; duplicate names are refused", async () => {
    const shared = { calls: 0 }
    const bump = (s: typeof shared) => ({ name: "bump", execute: async () => text(String(++s.calls)) })
    const [a, b] = defineTools(shared, (s) => [bump(s), { ...bump(s), name: "bump2" }])
    if (a) await call(a)
    expect(b && (await call(b))).toEqual(text("2"))
    expect(() => defineTools(shared, (s) => [bump(s), bump(s)])).toThrow("two tools are called bump")
  })
})

describe("schemas", () => {
  const full = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: { query: { type: "string" }, limit: { anyOf: [{ type: "integer" }, { type: "null" }] } },
    required: ["query", "limit"],
    additionalProperties: false,
  }

  test("[T2] shorthand, zod and the whole schema become the same JSON", () => {
    expect(schema({ query: "str", limit: "int?" })).toEqual(full)
    expect(schema({ query: "string", limit: "Optional[int]" })).toEqual(full)
    expect(schema({ query: "str", limit: "int | None" })).toEqual(full)
    expect(schema(full)).toEqual(full)
    const { $schema: _, ...bare } = full
    expect(schema(bare)).toEqual(full)
    expect(schema(z.strictObject({ query: z.string() }))).toEqual({
      ...full,
      properties: { query: { type: "string" } },
      required: ["query"],
    })
  })

  test("[T2] shorthand nests, and an unknown type is reported with the known ones", () => {
    expect(schema({ rows: [{ id: "int", tags: ["str"] }], mode: { enum: ["a", "b"] } })).toMatchObject({
      properties: {
        rows: { type: "array", items: { type: "object", properties: { id: { type: "integer" }, tags: { items: { type: "string" } } } } },
        mode: { enum: ["a", "b"] },
      },
    })
    expect(schema({ a: "text" })).toContain('a: the type "text" is unknown; known: str')
  })

  test("[T2] a dialect that is named stays", () => {
    expect(schema({ type: "object", $schema: "http://json-schema.org/draft-07/schema#" })).toMatchObject({
      $schema: "http://json-schema.org/draft-07/schema#",
    })
  })

  test("[T2] local definitions are put in place, those that lead back to themselves are kept", () => {
    const read = schema({
      type: "object",
      properties: { home: { $ref: "#/$defs/Address", description: "Where." }, tree: { $ref: "#/$defs/Node" } },
      $defs: {
        Address: { type: "object", properties: { zip: { $ref: "#/$defs/Zip" } } },
        Zip: { type: "string" },
        Node: { type: "object", properties: { zip: { $ref: "#/$defs/Zip" }, next: { $ref: "#/$defs/Node" } } },
      },
    })
    expect(read).toEqual({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: {
        home: { type: "object", properties: { zip: { type: "string" } }, description: "Where." },
        tree: { $ref: "#/$defs/Node" },
      },
      $defs: { Node: { type: "object", properties: { zip: { type: "string" }, next: { $ref: "#/$defs/Node" } } } },
    })
  })

  test("[T2] keywords beside a reference still apply", () => {
    const read = schema({
      type: "object",
      properties: { a: { $ref: "#/$defs/A", minLength: 3 } },
      $defs: { A: { type: "string", minLength: 1 } },
    })
    expect(read).toMatchObject({ properties: { a: { allOf: [{ type: "string", minLength: 1 }], minLength: 3 } } })
  })

  test("[T2] references that grow exponentially are refused quickly", () => {
    const $defs: Record<string, object> = { d0: { type: "string" } }
    for (let i = 1; i < 40; i++) $defs[`d${i}`] = { properties: { a: { $ref: `#/$defs/d${i - 1}` }, b: { $ref: `#/$defs/d${i - 1}` } } }
    expect(schema({ type: "object", properties: { x: { $ref: "#/$defs/d39" } }, $defs })).toMatch(/too large|nested deeper/)
  })
})

describe("Flynn's dialect", () => {
  const flynn: FlynnTool = {
    name: "file.count",
    description: "Counts.",
    inputSchema: { type: "object", properties: { dir: { type: "string" } } },
    requiredSecretScopes: ["disk"],
    async execute(args, { signal: given }) {
      given?.throwIfAborted()
      if (args["dir"] === "gone") return { success: false, output: "", error: "no such folder" }
      return { success: true, output: args["dir"] === "json" ? { files: 3 } : "3 files" }
    },
  }

  test("[T2] a success is content, a failure is thrown with its text", async () => {
    const tool = fromFlynn(flynn, { effect: "read" })
    expect(tool).toMatchObject({ name: "file.count", effect: "read", requiredSecretScopes: ["disk"] })
    expect(await call(tool, { dir: "a" })).toEqual(text("3 files"))
    expect(await call(tool, { dir: "json" })).toEqual(text('{"files":3}', { files: 3 }))
    await expect(call(tool, { dir: "gone" })).rejects.toThrow("no such folder")
    await expect(call(fromFlynn({ ...flynn, execute: async () => ({}) as never }))).rejects.toThrow("did not return {success")
  })

  test("[T2] there and back again it says the same, and never rejects", async () => {
    const back = toFlynn(fromFlynn(flynn), powers)
    expect(await back.execute({ dir: "a" }, {})).toEqual({ success: true, output: "3 files" })
    expect(await back.execute({ dir: "gone" }, {})).toEqual({ success: false, output: "", error: "no such folder" })
    expect(await back.execute({ dir: "a" }, { signal: AbortSignal.abort(new Error("stopped")) })).toEqual({
      success: false,
      output: "",
      error: "stopped",
    })
    expect(back).toMatchObject({ name: "file.count", requiredSecretScopes: ["disk"] })
  })
})

describe("flowai's dialect", () => {
  const seen: FlowaiContext[] = []
  const flowai = {
    name: "lookup",
    input_schema: { id: "int" },
    description: "Looks up.",
    async handler(args: JsonObject, ctx: FlowaiContext) {
      seen.push(ctx)
      return { id: args["id"] ?? null, rows: [1, 2, 3], glimpse: { count: 3 } }
    },
  }

  test("[T2] the handler gets services by name, by key and by attribute, and its call's id", async () => {
    const db = { query: () => 1 }
    await call(fromFlowai(flowai, { services: { db } }), { id: 7 })
    const ctx = seen.at(-1)
    expect([ctx?.services["db"], ctx?.["db"], ctx?.get("db"), ctx?.get("nope", 5), ctx?.get("run")]).toEqual([db, db, db, 5, "run_1"])
    expect(ctx?.tool_use_id).toBe("c1")
    expect(() => ctx?.references).toThrow("no references")
    expect(() => fromFlowai(flowai, { services: { references: {} } })).toThrow("may not be called references")
  })

  test("[T2] references are those of the host", async () => {
    const references = { create: async () => ({ kind: "k", id: "1", glimpse: {} }), resolve: async () => ({}), glimpse: async () => ({}) }
    const tool = fromFlowai(
      { ...flowai, handler: async (_args: JsonObject, ctx: FlowaiContext) => ctx.references.create("k", 1) },
      { references },
    )
    expect(await call(tool)).toMatchObject({ details: { result: { kind: "k", id: "1" } } })
  })

  test("[T2] without any of the host's own they are the tenant's, and what came from outside marks the result", async () => {
    const references = new MemoryReferences()
    references.specs.set("note", { name: "note", schema: { type: "string" } })
    const seenFrom = (tainted: boolean): ToolPowers => ({ ...powers, references, place: { tainted } })
    const keep = fromFlowai({
      ...flowai,
      handler: async (args: JsonObject, ctx: FlowaiContext) => ctx.references.create("note", String(args["v"])),
    })
    const look = fromFlowai({
      ...flowai,
      handler: async (args: JsonObject, ctx: FlowaiContext) => ctx.references.resolve({ kind: "note", id: String(args["id"]) }),
    })
    const run = (tool: Tool, args: JsonObject, tainted = false) => tool.execute("c1", args, signal, undefined, seenFrom(tainted))
    const idOf = async (v: string, tainted: boolean) => JSON.parse(textOf((await run(keep, { v }, tainted)).content)).id

    const clean = await run(look, { id: await idOf("a", false) })
    expect(clean).toMatchObject({ details: { result: { kind: "note", value: "a" } } })
    expect(clean.untrusted).toBeUndefined()
    expect((await run(look, { id: await idOf("b", true) })).untrusted).toBe(true)
    await expect(run(look, { id: "none" })).rejects.toThrow("there is no reference note/none")
    await expect(
      run(fromFlowai({ ...flowai, handler: async (_args: JsonObject, ctx: FlowaiContext) => ctx.references.create("note", 1) }), {}),
    ).rejects.toThrow("does not fit the kind note")
  })

  test("[T2] a glimpse is kept in the details, beside the result that the model reads", async () => {
    const tool = fromFlowai(flowai)
    expect(tool.glimpse).toBe(true)
    expect(tool.approval).toBeUndefined()
    expect(await call(tool, { id: 7 })).toEqual({
      content: [{ type: "text", text: '{"id":7,"rows":[1,2,3]}' }],
      details: { result: { id: 7, rows: [1, 2, 3] }, glimpse: { count: 3 } },
    })
  })

  test("[T2] a round trip gives the same result and glimpse", async () => {
    const back = toFlowai(fromFlowai(flowai), powers)
    expect(await back.handler({ id: 7 }, { tool_use_id: "c2" })).toEqual({ id: 7, rows: [1, 2, 3], glimpse: { count: 3 } })
    expect(seen.at(-1)?.tool_use_id).toBe("c2")
    const plain = toFlowai(defineTool({ name: "p", execute }), powers)
    expect(await plain.handler({}, { tool_use_id: "c3" })).toBe("ran")
  })

  test("[T2] fields that are not known, and a binding of another name, are refused", () => {
    expect(() => fromFlowai({ ...flowai, retries: 3 })).toThrow("retries is not a field of a flowai tool")
    expect(() => fromFlowai({ ...flowai, binding_id: "other" })).toThrow("binding_id")
    expect(() => fromFlowai({ ...flowai, binding_id: "lookup" })).not.toThrow()
    expect(() => fromFlowai({ name: "x", input_schema: {} })).toThrow("has no handler")
  })

  test("[T2] a result that is not as output_schema says is a warning, not an error", async () => {
    const tool = fromFlowai({ ...flowai, output_schema: { type: "object", properties: { id: { type: "string" } } } })
    expect(await call(tool, { id: 7 })).toMatchObject({
      details: { warnings: expect.arrayContaining([expect.stringContaining(": /id must be a string")]) },
    })
  })
})
