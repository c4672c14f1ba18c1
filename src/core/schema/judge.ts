// Validates a JSON value against a JSON Schema 2020-12 in one bounded walk over both [G6]. Each keyword is a rule in `RULES`; absent
// keywords cost nothing. Nothing is compiled to code, which workerd refuses, and nothing backtracks. A schema with a malformed keyword
// throws and never accepts a value.

import type { Json, JsonSchema } from "../json.ts"
import { isObject } from "../json.ts"
import { escapePointer } from "./arg-value.ts"
import { SIZE_KEYWORDS, VALUE_KEYWORDS, type Keyword } from "./assertions.ts"
import { small, spend, type Measure } from "./measure.ts"
import { matches } from "./pattern-cache.ts"
import { referenceIndex, type ReferenceIndex } from "./reference-index.ts"
import {
  bySchema,
  fail,
  kindOf,
  listIn,
  namedIn,
  namesOf,
  note,
  numberIn,
  type Case,
  type Rule,
  type JudgedParts,
  type Spot,
} from "./rule.ts"
import { leaves, missing, noneFits, unknown, type Finding } from "./sentence.ts"

export interface Judge {
  /** Everything that is wrong with the value. */
  findings(value: Json, on: Measure): readonly Finding[]
  /** Does the value fit this part of the schema? `part` is the schema's own, not a copy. */
  fits(part: Json, value: Json, on: Measure): boolean
  readonly references: ReferenceIndex
}

/** Parts of a schema that one place of a value may lead through: a ring of references ends here. */
const MAX_DEPTH = 1_000 // limit: parts of a schema for one place of a value → the schema cannot be used

/** `schema` must not change afterwards. */
export function judgeOf(schema: Json): Judge {
  const references = referenceIndex(isObject(schema) ? schema : {})
  const tracks = /"unevaluated(?:Items|Properties)"/.test(JSON.stringify(schema))
  return {
    references,
    findings(value, on) {
      const faults: Finding[] = []
      judge(schema, { references, tracks, on, value, path: "", depth: 0, faults })
      return faults
    },
    fits: (part, value, on) => judge(part, { references, tracks, on, value, path: "", depth: 0, faults: undefined }),
  }
}

/** `into` takes the names and places that were judged, when the value fits. */
function judge(schema: Json | undefined, at: Spot, into?: JudgedParts): boolean {
  const { value } = at
  spend(at.on, Array.isArray(value) ? small(value.length) : typeof value === "string" ? 1 + (value.length >> 10) : 1)
  if (typeof schema === "boolean") return schema || fail(at, () => "is not allowed here")
  if (!isSchema(schema)) throw new Error("a part of the schema is neither an object nor true or false")
  if (at.depth > MAX_DEPTH) throw new Error(`the schema's references lead through more than ${MAX_DEPTH} parts`)
  const here: Case = { ...at, schema, depth: at.depth + 1, seen: at.tracks ? new Set() : undefined }
  const kind = kindOf(value)
  let isFit = true
  for (const [word, of, rule] of rulesOf(schema)) {
    if ((of !== undefined && of !== kind) || rule(here, schema[word] ?? null)) continue
    isFit = false
    if (!at.faults) return false
  }
  if (isFit && into && here.seen) {
    spend(at.on, small(here.seen.size))
    for (const key of here.seen) into.add(key)
  }
  return isFit
}

/** A part that speaks of the same value. */
const also = (c: Case, part: Json | undefined): boolean => judge(part, c, c.seen)

/** A member of the value. */
function member(c: Case, key: string | number, value: Json, part: Json | undefined): boolean {
  c.seen?.add(key)
  const path = `${c.path}/${typeof key === "number" ? key : escapePointer(key)}`
  if (part === false && typeof key === "string") return fail({ ...c, path }, () => unknown(c.schema, key))
  return judge(part, { ...c, value, path })
}

/** All of them are judged when faults are wanted, else up to the first that does not fit. */
function every<T>(c: Case, items: Iterable<T>, fits: (item: T) => boolean): boolean {
  let isFit = true
  for (const item of items) {
    if (fits(item)) continue
    isFit = false
    if (!c.faults) return false
  }
  return isFit
}

const anyOf: Rule = (c, said) => {
  const inside: Finding[] = []
  let isFit = false
  for (const part of listIn(said)) {
    isFit = judge(part, { ...c, faults: c.faults && inside }, c.seen) || isFit
    // What the others would have judged matters to `unevaluated…` only.
    if (isFit && !c.seen) return true
  }
  return isFit || fail(c, () => noneFits(c.path, leaves(inside)), leaves(inside))
}

const oneOf: Rule = (c, said) => {
  const inside: Finding[] = []
  const fitting = listIn(said).filter((part) => judge(part, { ...c, faults: c.faults && inside }, c.seen)).length
  if (fitting === 1) return true
  if (fitting > 1) return fail(c, () => "fits more than one of the allowed forms; exactly one must fit")
  return fail(c, () => noneFits(c.path, leaves(inside)), leaves(inside))
}

const not: Rule = (c, said) => !judge(said, { ...c, faults: undefined }) || fail(c, () => "matches a form that is not allowed here")

const choose: Rule = (c, said) => {
  const part = c.schema[judge(said, { ...c, faults: undefined }, c.seen) ? "then" : "else"]
  return part === undefined || also(c, part)
}

const names =
  (told: (c: Case, name: string) => Finding): Rule =>
  (c, said) => {
    const wanted = listIn(said)
    spend(c.on, small(wanted.length))
    return every(c, wanted, (name) => {
      if (typeof name !== "string") throw new Error("a list of names in the schema contains something else")
      return (isObject(c.value) && Object.hasOwn(c.value, name)) || note(c, told(c, name))
    })
  }

const required = names((c, name) => missing(c.path, c.schema, name))

const dependentRequired: Rule = (c, said) =>
  every(c, present(c, said), ([key, wanted]) =>
    names(({ path }, name) => ({ path: `${path}/${escapePointer(name)}`, tell: () => `"${name}" is missing: "${key}" is there` }))(
      c,
      wanted,
    ),
  )

const dependentSchemas: Rule = (c, said) => every(c, present(c, said), ([, part]) => also(c, part))

/** Of older drafts, and still written: names or a schema. */
const dependencies: Rule = (c, said) =>
  every(c, present(c, said), ([key, part]) => (Array.isArray(part) ? dependentRequired(c, { [key]: part }) : also(c, part)))

/** Members of a keyword whose name the value has. */
function present(c: Case, said: Json): [string, Json][] {
  const named = Object.entries(namedIn(said))
  spend(c.on, small(named.length))
  return named.filter(([name]) => isObject(c.value) && Object.hasOwn(c.value, name))
}

const propertyNames: Rule = (c, said) =>
  every(c, namesOf(c), (name) => judge(said, { ...c, value: name, path: `${c.path}/${escapePointer(name)}` }))

const properties: Rule = (c, said) => every(c, present(c, said), ([name, part]) => member(c, name, at(c, name), part))

const patternProperties: Rule = (c, said) =>
  every(c, Object.entries(namedIn(said)), ([pattern, part]) =>
    every(c, namesOf(c), (name) => {
      spend(c.on)
      return !matches(pattern, name, c.on) || member(c, name, at(c, name), part)
    }),
  )

const additionalProperties: Rule = (c, said) => {
  const { properties: named = {}, patternProperties: patterned = {} } = c.schema
  const patterns = Object.keys(namedIn(patterned))
  return every(c, namesOf(c), (name) => {
    spend(c.on, patterns.length)
    const isNamed = Object.hasOwn(namedIn(named), name) || patterns.some((pattern) => matches(pattern, name, c.on))
    return isNamed || member(c, name, at(c, name), said)
  })
}

const unevaluatedProperties: Rule = (c, said) =>
  every(c, namesOf(c), (name) => c.seen?.has(name) === true || member(c, name, at(c, name), said))

const itemsFrom =
  (start: (c: Case) => number): Rule =>
  (c, said) =>
    every(c, listIn(c.value).entries(), ([i, item]) => i < start(c) || member(c, i, item, said))

const byPlace: Rule = (c, said) => {
  const parts = listIn(said)
  return every(c, listIn(c.value).slice(0, parts.length).entries(), ([i, item]) => member(c, i, item, parts[i]))
}

const count = (c: Case, word: string): number => listIn(c.schema[word] ?? []).length

/** Older drafts have a list here; `additionalItems` is then what `items` is now. */
const items: Rule = (c, said) => (Array.isArray(said) ? byPlace(c, said) : itemsFrom((c) => count(c, "prefixItems"))(c, said))
const additionalItems: Rule = (c, said) => !Array.isArray(c.schema["items"]) || itemsFrom((c) => count(c, "items"))(c, said)

const contains: Rule = (c, said) => {
  const least = numberIn(c.schema["minContains"] ?? 1)
  const most = numberIn(c.schema["maxContains"] ?? Number.POSITIVE_INFINITY)
  let found = 0
  for (const [i, item] of listIn(c.value).entries())
    if (judge(said, { ...c, value: item, faults: undefined })) {
      found++
      c.seen?.add(i)
    }
  if (found < least) return fail(c, () => `must contain at least ${least} items of a certain form, but has ${found}`)
  return found <= most || fail(c, () => `must contain at most ${most} items of a certain form, but has ${found}`)
}

const unevaluatedItems: Rule = (c, said) =>
  every(c, listIn(c.value).entries(), ([i, item]) => c.seen?.has(i) === true || member(c, i, item, said))

/** In the order in which faults are told. The rules of `unevaluated…` come last: they ask what the others have judged. */
const RULES: readonly Keyword[] = [
  ["$ref", undefined, (c) => also(c, c.references.target(c.schema))],
  ...VALUE_KEYWORDS,
  ["not", undefined, not],
  ["anyOf", undefined, anyOf],
  ["allOf", undefined, (c, said) => every(c, listIn(said), (part) => also(c, part))],
  ["oneOf", undefined, oneOf],
  ["if", undefined, choose],
  ["required", "object", required],
  ...SIZE_KEYWORDS,
  ["propertyNames", "object", propertyNames],
  ["dependentRequired", "object", dependentRequired],
  ["dependentSchemas", "object", dependentSchemas],
  ["dependencies", "object", dependencies],
  ["properties", "object", properties],
  ["patternProperties", "object", patternProperties],
  ["additionalProperties", "object", additionalProperties],
  ["prefixItems", "array", byPlace],
  ["items", "array", items],
  ["additionalItems", "array", additionalItems],
  ["contains", "array", contains],
  ["unevaluatedProperties", "object", unevaluatedProperties],
  ["unevaluatedItems", "array", unevaluatedItems],
]

const rulesOf = bySchema((schema) => RULES.filter(([word]) => Object.hasOwn(schema, word)))

const at = ({ value }: Case, name: string): Json => (isObject(value) ? ((value as JsonSchema)[name] ?? null) : null)

const isSchema = (value: Json | undefined): value is JsonSchema => isObject(value)
