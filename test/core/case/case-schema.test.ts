// The JSON Schemas of rehearsals, tests and sluice.yaml: editors say of a file what its reader says.

import { Validator } from "@cfworker/json-schema"
import { globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, test } from "vitest"
import { parse } from "yaml"
import { parseTests } from "../../../src/core/case/parse-tests.ts"
import { fileSchema } from "../../../src/engine/catalog/config/file-schemas.ts"
import { parseRehearsal } from "../../../src/core/case/rehearsal.ts"
import { ProjectFile } from "../../../src/core/project/project-file.ts"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const shipped = (glob: string): readonly string[] =>
  globSync(
    ["flows", "templates/*/flows", "templates/*/tests", "local/first-run/flows"].map((folder) => `${folder}/**/${glob}`),
    { cwd: root },
  )

const READERS = {
  rehearsal: (text: string) => parseRehearsal(text).rehearsal !== undefined,
  test: (text: string) => parseTests(text).tests !== undefined,
  project: (text: string) => ProjectFile.safeParse(parse(text) ?? {}).success,
}
type Name = keyof typeof READERS
const validators = new Map<Name, Validator>()
const passes = (name: Name, text: string): boolean => {
  const validator = validators.get(name) ?? new Validator(fileSchema(name), "7", false)
  validators.set(name, validator)
  return validator.validate(parse(text) ?? {}).valid
}
const both = (name: Name, text: string): readonly [schema: boolean, reader: boolean] => [passes(name, text), READERS[name](text)]

const cases = (more: string): string => `cases:\n  - { name: works, expect: { status: succeeded }${more === "" ? "" : `, ${more}`} }\n`
const expecting = (what: string): string => `cases:\n  - { name: works, expect: ${what} }\n`
const turn = (what: string): string => `steps:\n  s: [ ${what} ]\n`

const RIGHT: Readonly<Record<Name, readonly string[]>> = {
  rehearsal: [
    "steps: {}",
    "steps: { s: [] }",
    turn("{ text: hm }, { calls: [ { tool: read } ] }, { finish: { status: complete } }"),
    turn("{ text: t, calls: [ { tool: read, args: { path: a }, result: text, untrusted: true, private: true } ], last: true }"),
    turn("{ calls: [ { tool: read, result: { error: gone } } ] }"),
    turn("{ error: {} }, { error: { status: 429, message: slow, retry_after: 0.5 }, delay: 300ms }, { text: '', delay: 10 }"),
  ],
  test: [
    "cases: []",
    cases(""),
    cases(
      "task: t, inputs: { a: 1 }, trigger: { body: {} }, autonomous: true, files: { a.md: text, b.png: { base64: AA==, type: image/png } }",
    ),
    cases("rehearsal: { s: [ { finish: {} } ], child/s: [], 'p[0]/s': [ { text: t } ] }"),
    cases(
      "answers: [ { answer: yes }, { decision: approve, args: { a: 1 }, step: s }, { custom: x, notes: n }, { auto: true }, { cancelled: true } ]",
    ),
    expecting("{}"),
    expecting("{ status: failed, error: null, output: 7, turns: 3, tool_calls: { at_most: 9, at_least: 1 } }"),
    expecting(
      "{ error: { source: budget }, branches: { a: left, b: { matches: '^r' } }, files: { a.md: { contains: x }, b: { equals: y } } }",
    ),
    expecting(
      "{ steps: { s: { status: complete, passes: 2, outputs: { n: { schema: { type: number } } }, called: [read, { matches: w }], refused: { schema: { type: array } } } } }",
    ),
    expecting("{ status: { matches: '^s' }, error: gone }"),
  ],
  project: ["", "name: shop", "name: Müllers Läden\nport: 0\ntools: [shout]\n"],
}
const WRONG: Readonly<Record<Name, readonly string[]>> = {
  rehearsal: [
    "{}",
    "step: { s: [] }",
    "steps: []",
    "steps: { s: { text: t } }",
    turn("text"),
    turn("{}"),
    turn("{ delay: 3s }"),
    turn("{ txt: t }"),
    turn("{ text: 7 }"),
    turn("{ text: t, last: false }"),
    turn("{ calls: [] }"),
    turn("{ calls: [ read ] }"),
    turn("{ calls: [ { args: {} } ] }"),
    turn("{ calls: [ { tool: read, arguments: {} } ] }"),
    turn("{ calls: [ { tool: read, args: [] } ] }"),
    turn("{ calls: [ { tool: read, untrusted: true } ] }"),
    turn("{ calls: [ { tool: read, result: t, private: no } ] }"),
    turn("{ finish: done }"),
    turn("{ text: t, error: {} }"),
    turn("{ error: timeout }"),
    turn("{ error: { status: 200 } }"),
    turn("{ error: { status: '429' } }"),
    turn("{ error: { retry_after: -1 } }"),
    turn("{ text: t, delay: soon }"),
  ],
  test: [
    "{}",
    "tests: []",
    "cases: {}",
    "cases: [ works ]",
    "cases: [ { name: works } ]",
    "cases: [ { expect: {} } ]",
    "cases: [ { name: '', expect: {} } ]",
    "cases: [ { name: '  ', expect: {} } ]",
    `cases: [ { name: ${"n".repeat(201)}, expect: {} } ]`,
    cases("tasks: t"),
    cases("task: 7"),
    cases("inputs: [1]"),
    cases("autonomous: sure"),
    cases("files: { a.md: { text: t, base64: AA== } }"),
    cases("files: { a.md: {} }"),
    cases("rehearsal: [ { text: t } ]"),
    cases("rehearsal: { s: [ {} ] }"),
    cases("answers: { answer: yes }"),
    cases("answers: [ yes ]"),
    cases("answers: [ { notes: n } ]"),
    cases("answers: [ { answer: yes, decision: approve } ]"),
    cases("answers: [ { answr: yes } ]"),
    cases("answers: [ { answer: yes, step: 1 } ]"),
    expecting("succeeded"),
    expecting("{ status: success }"),
    expecting("{ state: succeeded }"),
    expecting("{ error: 7 }"),
    expecting("{ branches: [left] }"),
    expecting("{ branches: { a: 1 } }"),
    expecting("{ steps: { s: complete } }"),
    expecting("{ steps: { s: { status: done } } }"),
    expecting("{ steps: { s: { passes: -1 } } }"),
    expecting("{ steps: { s: { called: read } } }"),
    expecting("{ steps: { s: { called: [1] } } }"),
    expecting("{ steps: { s: { outputs: [] } } }"),
    expecting("{ files: { a.md: text } }"),
    expecting("{ files: { a.md: { contains: x, equals: y } } }"),
    expecting("{ files: { a.md: { contains: 7 } } }"),
    expecting("{ turns: 1.5 }"),
    expecting("{ turns: { at_most: many } }"),
    expecting("{ tool_calls: three }"),
  ],
  project: ["nme: shop", "name: ''", `name: ${"n".repeat(101)}`, "port: 70000", "port: '80'", "tools: shout", "tools: [7]", "[]"],
}
const rows = (table: Readonly<Record<Name, readonly string[]>>): readonly (readonly [Name, string])[] =>
  (["rehearsal", "test", "project"] as const).flatMap((name) => table[name].map((text) => [name, text] as const))

describe("the schemas of rehearsals, tests and sluice.yaml", () => {
  test("[F3, K20] every file that ships passes", () => {
    for (const [name, glob] of [
      ["rehearsal", "*.rehearsal.yaml"],
      ["test", "*.test.yaml"],
    ] as const) {
      const files = shipped(glob)
      expect(files.length).toBeGreaterThan(1)
      for (const file of files) expect(both(name, readFileSync(`${root}${file}`, "utf8")), file).toEqual([true, true])
    }
    for (const file of globSync("templates/*/sluice.yaml", { cwd: root }))
      expect(both("project", readFileSync(`${root}${file}`, "utf8").replaceAll(/\{\{.*?\}\}/g, "x")), file).toEqual([true, true])
  })

  test.each(rows(RIGHT))("[F3, K20] of a %s, what the reader takes passes: %s", (name, text) => {
    expect(both(name, text)).toEqual([true, true])
  })

  test.each(rows(WRONG))("[F3, K20] of a %s, a mistake that the reader finds does not: %s", (name, text) => {
    expect(both(name, text)).toEqual([false, false])
  })

  test("[F3] a key of one is a key of the other, wherever it is", () => {
    const found: string[] = []
    for (const name of ["rehearsal", "test"] as const)
      for (const text of RIGHT[name]) {
        const value: unknown = parse(text)
        for (const at of mapsOf(value)) {
          Object.assign(at, { "odd key": 1 })
          const odd = JSON.stringify(value)
          const [schema, reader] = both(name, odd)
          if (schema !== reader) found.push(odd)
          delete at["odd key"]
        }
      }
    expect(found).toEqual([])
  })
})

function mapsOf(value: unknown): Record<string, unknown>[] {
  if (Array.isArray(value)) return value.flatMap(mapsOf)
  if (typeof value !== "object" || value === null) return []
  const map = value as Record<string, unknown>
  return [map, ...Object.values(map).flatMap(mapsOf)]
}
