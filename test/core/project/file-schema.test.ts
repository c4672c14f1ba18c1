// The schemas of flow and agent files: made of the field table, accepting what the readers accept, and complete.

import { Validator } from "@cfworker/json-schema"
import { readFileSync, readdirSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { parse } from "yaml"
import { KINDS } from "../../../src/core/steps/kinds.ts"
import { AGENT_FIELDS, COMMON_FIELDS, FLOW_FIELDS } from "../../../src/core/flow/parse/field-table.ts"
import { fileSchema, SCHEMA_NAMES } from "../../../src/engine/catalog/config/file-schemas.ts"
import { describedSchema } from "../../../src/http/openapi/file-schemas.ts"
import { isObject, type Json, type JsonObject } from "../../../src/core/json.ts"
import { renderSchemas } from "../../../scripts/schemas.ts"
import { fixtures } from "../../support/kernel/fixtures.ts"

const root = new URL("../../../", import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), "utf8")
const flowErrors = (value: unknown): string[] =>
  new Validator(fileSchema("flow"), "7", false).validate(value).errors.map((e) => `${e.instanceLocation} ${e.keyword} ${e.error}`)
const agentErrors = (value: unknown): string[] =>
  new Validator(fileSchema("agent"), "7", false).validate(value).errors.map((e) => `${e.instanceLocation} ${e.keyword} ${e.error}`)
const head = (text: string): unknown => parse(/^---\n([\s\S]*?)\n---/.exec(text)?.[1] ?? "")
const step = (more: object): unknown => ({ name: "f", description: "d", steps: [{ id: "a", ...more }] })

describe("the schemas", () => {
  test("[F3] [F79] every field of every file has a description, wherever it stands", () => {
    const bare: string[] = []
    const look = (value: Json, path: string): void => {
      if (Array.isArray(value)) for (const one of value) look(one, path)
      if (!isObject(value)) return
      for (const [key, child] of Object.entries(value)) {
        if (key === "properties" && isObject(child))
          for (const [name, spec] of Object.entries(child))
            if (isObject(spec) && (typeof spec["description"] !== "string" || spec["description"].length < 5)) bare.push(`${path}.${name}`)
        if (key !== "if") look(child, `${path}.${key}`)
      }
    }
    for (const name of SCHEMA_NAMES) look(describedSchema(name), name)
    expect(bare).toEqual([])
  })

  test("[F3] every key of the table is there, and every step type", () => {
    const definitions = fileSchema("flow")["definitions"] as JsonObject
    expect(Object.keys(definitions)).toEqual(["step", ...Object.keys(KINDS)])
    expect(Object.keys(fileSchema("agent")["properties"] as JsonObject)).toEqual(Object.keys(AGENT_FIELDS))
    expect(Object.keys(fileSchema("flow")["properties"] as JsonObject)).toEqual(Object.keys(FLOW_FIELDS))
    expect(Object.keys((definitions["step"] as JsonObject)["properties"] as JsonObject)).toEqual(Object.keys(COMMON_FIELDS))
  })

  test("[F3] the built-in flows and agents pass", () => {
    for (const file of readdirSync(new URL("flows", root)).filter((f) => f.endsWith(".yaml") && !f.includes(".rehearsal.")))
      expect(flowErrors(parse(read(`flows/${file}`))), file).toEqual([])
    for (const file of readdirSync(new URL("agents", root))) expect(agentErrors(head(read(`agents/${file}`))), file).toEqual([])
  })

  test("[F3] valid files pass, save where a key is unknown to the reader too", () => {
    for (const { name, text, expected } of fixtures("flows/valid"))
      if (!expected.some((e) => /FV-((UNKNOWN|MISSPELLED)-KEY|TEXT|OTHER|UNSUPPORTED)/.test(e)))
        expect(flowErrors(parse(text)), name).toEqual([])
    for (const { name, text, expected } of fixtures("agents/valid"))
      if (!expected.some((e) => /AV-((UNKNOWN|MISSPELLED)-KEY|TEXT|UNUSED)/.test(e))) expect(agentErrors(head(text)), name).toEqual([])
  })

  test.each([
    [{ type: "agent" }, "agent"],
    [{ type: "agent", agent: "w", loop_target: "x" }, "loop_target"],
    [{ type: "agent-loop-decision", agent: "w", task: "t", loop_target: "x", exit_target: "y" }, "max_iterations"],
    [{ type: "fork", question: "q", options: ["x"] }, "branches"],
    [{ type: "fork", question: "q", options: ["x"], branches: {} }, "minProperties"],
    [{ type: "nonsense" }, "enum"],
    [{ type: "agent", agent: "w", timeout: "soon" }, "timeout"],
    [{ type: "agent", agent: "w", retry: { backoff: "1s" } }, "max"],
    [{ type: "map", over: "x", do: "f", max_concurrent: 101 }, "maximum"],
    [{ nonsense: 1 }, "nonsense"],
  ])("[F3] %j is marked", (more, word) => {
    expect(flowErrors(step(more)).join("\n")).toContain(word)
  })

  test.each([
    { type: "agent", agent: "w", timeout: "5m", blockedBy: "x" },
    { agent: "w" },
    { question: "q", options: "x", branches: { x: "b" } },
    { type: "wait", for: "2h" },
  ])("[F4] %j is not", (more) => {
    expect(flowErrors(step(more))).toEqual([])
  })

  test("[F3] keys outside the table are marked in flows and agents, a missing one too", () => {
    expect(flowErrors({ name: "f", description: "d", steps: [{ id: "a", agent: "w" }], budgets: 1 }).join()).toContain("budgets")
    expect(flowErrors({ name: "f", steps: [] }).join()).toMatch(/description/)
    expect(agentErrors({ name: "a", description: "d", temprature: 1 }).join()).toContain("temprature")
    expect(agentErrors({ name: "a", description: "d", temperature: 3 }).join()).toContain("temperature")
  })

  test("[F3] the committed copies match the table (if not: node scripts/schemas.ts)", () => {
    for (const [path, text] of renderSchemas()) expect(JSON.parse(read(path)), path).toEqual(JSON.parse(text))
  })

  test("[F3] the example flows name their schema", () => {
    for (const file of readdirSync(new URL("flows", root)).filter((f) => f.endsWith(".yaml") && !f.includes(".rehearsal.")))
      expect(read(`flows/${file}`).split("\n")[0], file).toBe("# yaml-language-server: $schema=../docs/schemas/flow.json")
  })
})
