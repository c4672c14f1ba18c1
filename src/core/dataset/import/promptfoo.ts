// Makes rows of a promptfoo configuration [V31]: its tests. Prompts and providers stay behind, as the flow has its own.

import { isObject, type Json, type JsonObject } from "../../json.ts"
import type { RowCase } from "../row.ts"
import { anyCase, givenBy, literal, textOf, type ForeignRows } from "./foreign-rows.ts"

const ANSWERS: Readonly<Record<string, (value: string) => Json>> = {
  equals: (value) => value,
  contains: (value) => ({ matches: literal(value) }),
  icontains: (value) => ({ matches: anyCase(value) }),
  regex: (value) => ({ matches: value }),
}
/** Members of a test that a row has in its own way. */
const OF_TEST: ReadonlySet<string> = new Set(["description", "vars", "assert"])
const OF_ASSERT: ReadonlySet<string> = new Set(["type", "value"])

/** `inputs`: names of the flow's inputs. */
export function promptfooRows(config: JsonObject, inputs: ReadonlySet<string>): ForeignRows {
  const rows: RowCase[] = []
  const left_out: { at: string; why: string }[] = []
  const leave = (at: string, why: string): void => void left_out.push({ at, why })
  const { tests, defaultTest } = config
  for (const name of Object.keys(config))
    if (!["tests", "defaultTest", "description"].includes(name)) leave(`/${name}`, "the flow has its own")
  const common: JsonObject = isObject(defaultTest) ? (defaultTest as JsonObject) : {}
  if (defaultTest !== undefined && !isObject(defaultTest)) leave("/defaultTest", "it is not a map")
  if (!Array.isArray(tests)) leave("/tests", "they are not a list in this file")
  for (const [i, test] of (Array.isArray(tests) ? tests : []).entries()) {
    const at = `/tests/${i}`
    if (!isObject(test)) {
      leave(at, "it is another file")
      continue
    }
    const row = rowOf(test as JsonObject, common, { at, inputs, leave })
    if (row) rows.push(row)
  }
  return { rows, left_out }
}

interface Desk {
  readonly at: string
  readonly inputs: ReadonlySet<string>
  readonly leave: (at: string, why: string) => void
}

function rowOf(test: JsonObject, common: JsonObject, { at, inputs, leave }: Desk): RowCase | undefined {
  const vars = { ...mapOf(common["vars"]), ...mapOf(test["vars"]) }
  const several = Object.keys(vars).find((name) => Array.isArray(vars[name]))
  if (several !== undefined) {
    leave(`${at}/vars/${several}`, "a list of values is several tests: write each as its own")
    return undefined
  }
  for (const name of Object.keys(test)) if (!OF_TEST.has(name)) leave(`${at}/${name}`, "a row has no such member")
  const said = [...listOf(common["assert"]), ...listOf(test["assert"])]
  let answer: Json | undefined
  const criteria: string[] = []
  for (const [k, one] of said.entries()) {
    const place = `${at}/assert/${k}`
    if (!isObject(one)) {
      leave(place, "it is not a map")
      continue
    }
    const { type, value } = one as JsonObject
    for (const name of Object.keys(one)) if (!OF_ASSERT.has(name)) leave(`${place}/${name}`, "a row has no such member")
    const made =
      typeof type === "string" && Object.hasOwn(ANSWERS, type) && value !== undefined ? ANSWERS[type]?.(textOf(value)) : undefined
    if (type === "llm-rubric" && typeof value === "string") criteria.push(value)
    else if (made === undefined) leave(place, `${textOf(type ?? null)} has no counterpart: write a scorer`)
    else if (answer !== undefined) leave(place, "a row expects one answer: write a scorer for the others")
    else answer = made
  }
  const { description } = test
  return {
    ...(typeof description === "string" ? { name: description } : {}),
    ...givenBy(vars, inputs),
    ...(answer === undefined ? {} : { expect: { answer } }),
    ...(criteria.length === 0 ? {} : { criteria: criteria.join("\n") }),
  }
}

const mapOf = (value: Json | undefined): JsonObject => (isObject(value) ? (value as JsonObject) : {})
const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : [])
