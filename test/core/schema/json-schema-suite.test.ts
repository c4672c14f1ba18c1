// The JSON Schema test suite, draft 2020-12 (test/fixtures/json-schema-2020-12, MIT), against the argument validator [G6]: all of the
// required behavior, with each failure known and explained. Twice: the walk over every instance, and `validateArgs`, which coerces and
// fills in defaults, over every instance that is an object.

import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { isObject, type Json, type JsonSchema } from "../../../src/core/json.ts"
import { judgeOf } from "../../../src/core/schema/judge.ts"
import { measure } from "../../../src/core/schema/measure.ts"
import { validateArgs } from "../../../src/core/schema/validate-args.ts"

interface Group {
  readonly description: string
  readonly schema: JsonSchema | boolean
  readonly tests: readonly { readonly description: string; readonly data: Json; readonly valid: boolean }[]
}
/** Failed tests by file and group. */
type Failures = Record<string, Record<string, number>>

const FOLDER = new URL("../../fixtures/json-schema-2020-12/", import.meta.url)
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith(".json"))
const groupsOf = (file: string): Group[] => JSON.parse(readFileSync(new URL(file, FOLDER), "utf8"))

function run(judge: (schema: JsonSchema | boolean, data: Json) => boolean | undefined): {
  passed: number
  total: number
  failures: Failures
} {
  let passed = 0
  let total = 0
  const failures: Failures = {}
  for (const file of FILES)
    for (const { description, schema, tests } of groupsOf(file))
      for (const { data, valid } of tests) {
        let verdict: boolean | undefined | "unusable"
        try {
          verdict = judge(schema, data)
        } catch {
          verdict = "unusable"
        }
        if (verdict === undefined) continue
        total += 1
        if (verdict === valid) passed += 1
        else {
          const known = (failures[file] ??= {})
          known[description] = (known[description] ?? 0) + 1
        }
      }
  return { passed, total, failures }
}

/** Each reason, and the groups that fail for it: file → group → number of tests. */
type Explained = Readonly<Record<string, Failures>>
const together = (all: Explained): Failures => {
  const out: Failures = {}
  for (const part of Object.values(all)) for (const [file, groups] of Object.entries(part)) out[file] = { ...out[file], ...groups }
  return out
}
const each = (n: number, ...groups: string[]): Record<string, number> => Object.fromEntries(groups.map((g) => [g, n]))

const ENGINE: Explained = {
  "A `$ref` to another document: nothing is fetched for a schema, so it is unresolved and the schema is unusable. Every call is refused then.":
    {
      "defs.json": { "validate definition against metaschema": 2 },
      "ref.json": { "remote ref, containing refs itself": 2 },
      "dynamicRef.json": {
        "strict-tree schema, guards against misspelled properties": 2,
        "tests for implementation dynamic anchor and reference link": 3,
        "$ref and $dynamicAnchor are independent of order - $defs first": 3,
        "$ref and $dynamicAnchor are independent of order - $ref first": 3,
        "$ref to $dynamicRef finds detached $dynamicAnchor": 2,
      },
      "refRemote.json": {
        ...each(
          2,
          "remote ref",
          "fragment within remote ref",
          "anchor within remote ref",
          "ref within remote ref",
          "base URI change",
          "base URI change - change folder",
          "base URI change - change folder in subschema",
          "remote ref with ref to defs",
          "Location-independent identifier in remote ref",
          "retrieved nested refs resolve relative to their URI not $id",
          "remote HTTP ref with different $id",
          "remote HTTP ref with different URN $id",
          "remote HTTP ref with nested absolute ref",
          "$ref to $ref finds detached $anchor",
        ),
        "root ref in remote ref": 3,
      },
    },
  "`$dynamicRef` is not looked at: what it names is not demanded.": {
    "dynamicRef.json": {
      ...each(
        1,
        "A $dynamicRef to a $dynamicAnchor in the same schema resource behaves like a normal $ref to an $anchor",
        "A $dynamicRef to an $anchor in the same schema resource behaves like a normal $ref to an $anchor",
        "A $dynamicRef resolves to the first $dynamicAnchor still in scope that is encountered when the schema is evaluated",
        "A $dynamicRef without anchor in fragment behaves identical to $ref",
        "A $dynamicRef with intermediate scopes that don't include a matching $dynamicAnchor does not affect dynamic scope resolution",
        "A $dynamicRef that initially resolves to a schema with a matching $dynamicAnchor resolves to the first $dynamicAnchor in the dynamic scope",
        "$dynamicRef points to a boolean schema",
        "$dynamicRef skips over intermediate resources - direct reference",
        "$dynamicRef avoids the root of each schema, but scopes are still registered",
      ),
      "multiple dynamic paths to the $dynamicRef keyword": 2,
      "after leaving a dynamic scope, it is not used by a $dynamicRef": 2,
    },
    // Anything it would have evaluated counts as unevaluated: stricter.
    "unevaluatedItems.json": { "unevaluatedItems with $dynamicRef": 1 },
    "unevaluatedProperties.json": { "unevaluatedProperties with $dynamicRef": 1 },
  },
  "`format` is demanded, not an annotation: what says `date` must be one. Stricter on purpose, a model can mend it.": {
    "format.json": each(
      1,
      ..."email regex ipv4 ipv6 hostname date date-time time json-pointer relative-json-pointer uri uri-reference uri-template uuid duration"
        .split(" ")
        .map((name) => `${name} format`),
    ),
  },
  "`$vocabulary` of a custom meta-schema is not looked at: all keywords always count. Stricter.": {
    "vocabulary.json": { "schema that uses custom metaschema with with no validation vocabulary": 1 },
  },
}

const ARGUMENTS: Explained = {
  'Coercion [G6]: where a text is due, 1 becomes "1". What fits then is accepted.': {
    "anyOf.json": { "anyOf complex types": 1 },
    "oneOf.json": { "oneOf complex types": 1 },
    "properties.json": { "properties with escaped characters": 1 },
    "ref.json": {
      ...each(
        1,
        "property named $ref that is not a reference",
        "property named $ref, containing an actual $ref",
        "refs with quote",
        "simple URN base URI with JSON pointer",
        "URN base URI with NSS",
        "URN base URI with r-component",
        "URN base URI with q-component",
        "URN base URI with URN and JSON pointer ref",
        "URN base URI with URN and anchor ref",
      ),
      ...each(2, "refs with relative uris and defs", "relative refs with absolute uris and defs"),
    },
  },
  "`__proto__`, `constructor` and `prototype` are refused as names of arguments, whatever the schema says. One of the two is coercion.": {
    "properties.json": { "properties whose names are Javascript object property names": 2 },
    "required.json": { "required properties whose names are Javascript object property names": 1 },
  },
  "As above: a `$ref` to another document.": {
    "defs.json": { "validate definition against metaschema": 1 },
    "ref.json": { "remote ref, containing refs itself": 1 },
    "dynamicRef.json": each(
      1,
      "strict-tree schema, guards against misspelled properties",
      "tests for implementation dynamic anchor and reference link",
      "$ref and $dynamicAnchor are independent of order - $defs first",
      "$ref and $dynamicAnchor are independent of order - $ref first",
    ),
    "refRemote.json": {
      ...each(
        1,
        "base URI change - change folder",
        "base URI change - change folder in subschema",
        "remote ref with ref to defs",
        "retrieved nested refs resolve relative to their URI not $id",
      ),
      "root ref in remote ref": 2,
    },
  },
  "As above: `$dynamicRef`.": {
    "dynamicRef.json": {
      ...each(
        1,
        "A $dynamicRef that initially resolves to a schema with a matching $dynamicAnchor resolves to the first $dynamicAnchor in the dynamic scope",
        "$dynamicRef points to a boolean schema",
        "$dynamicRef skips over intermediate resources - direct reference",
      ),
      "multiple dynamic paths to the $dynamicRef keyword": 2,
    },
    "unevaluatedProperties.json": { "unevaluatedProperties with $dynamicRef": 1 },
  },
  "As above: `$vocabulary`.": {
    "vocabulary.json": { "schema that uses custom metaschema with with no validation vocabulary": 1 },
  },
}

describe("the JSON Schema test suite, 2020-12", () => {
  test("[G6] the walk passes 1220 of 1299, and each of the 79 failures is explained", () => {
    const { passed, total, failures } = run((schema, data) => {
      const own: JsonSchema | boolean = JSON.parse(JSON.stringify(schema))
      return judgeOf(own).findings(data, measure()).length === 0
    })
    expect(failures).toEqual(together(ENGINE))
    expect([passed, total]).toEqual([1220, 1299])
  })

  test("[G6] validateArgs passes 411 of 449 objects, and each of the 38 failures is explained", () => {
    const { passed, total, failures } = run((schema, data) =>
      isObject(data) && typeof schema !== "boolean" ? validateArgs(schema, data).ok : undefined,
    )
    expect(failures).toEqual(together(ARGUMENTS))
    expect([passed, total]).toEqual([411, 449])
  })
})
