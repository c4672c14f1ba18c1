// Rewrites a tool's schema in a shape that every provider takes [T4]: an object with properties at the top and no union there, an array
// with items, plain keys. Arguments are still checked against the original, so a less exact schema here only loses a hint.

import type { JSONSchema7 } from "@ai-sdk/provider"
import { exactJson } from "../core/outside/exact-json.ts"
import { isObject, type JsonSchema } from "../core/json.ts"
import { cutAt } from "../core/text/cut-at.ts"
import { toolNames, type ToolNames } from "./tool-names.ts"

/** Characters of a tool's description at OpenAI. */
const MAX_DESCRIPTION = 1_024 // limit: characters of a tool's description in a request → it goes on in the description of the parameters
/** A definition that refers to itself is looked into no further. */
const MAX_REFS = 8 // limit: references that are followed to a tool's parameters → the rest is an object of any kind

export interface ShapedTool {
  readonly description: string
  readonly schema: JSONSchema7
  /** The arguments with their real keys. */
  readonly real: (args: string) => string
}

type Node = Record<string, unknown>

export function shapedTool({ description, parameters }: { readonly description: string; readonly parameters: JsonSchema }): ShapedTool {
  let known = shapes.get(parameters)
  if (!known) shapes.set(parameters, (known = shapeOf(parameters)))
  if (description.length <= MAX_DESCRIPTION) return { description, ...known }
  // What has no room goes where there is some.
  const start = cutAt(description, MAX_DESCRIPTION - MORE.length)
  const more = [description.slice(start.length).trim(), known.schema.description].filter((text) => text !== undefined).join("\n\n")
  return { description: start + MORE, schema: { ...known.schema, description: more }, real: known.real }
}
const MORE = " … (goes on in the description of the parameters)"

const shapes = new WeakMap<object, Pick<ShapedTool, "schema" | "real">>()

function shapeOf(parameters: JsonSchema): Pick<ShapedTool, "schema" | "real"> {
  const keys = new Set<string>()
  keysIn(parameters, keys)
  const isPlain = [...keys].every((key) => PLAIN.test(key))
  const names = toolNames(isPlain ? [] : [...keys])
  const schema = shaped(flat(parameters, parameters, MAX_REFS), names)
  // Both are JSON Schema; the library's type is mutable and of an older draft.
  return { schema: schema as JSONSchema7, real: isPlain ? (args) => args : (args) => renamed(args, names) }
}

const PLAIN = /^[A-Za-z0-9_-]{1,64}$/

function keysIn(node: unknown, keys: Set<string>): void {
  if (Array.isArray(node)) return node.forEach((one) => keysIn(one, keys))
  if (!isObject(node)) return
  for (const [name, value] of Object.entries(node)) {
    if (name === "properties" && isObject(value)) {
      for (const [key, one] of Object.entries(value)) {
        keys.add(key)
        keysIn(one, keys)
      }
    } else if (!VALUES.has(name)) keysIn(value, keys)
  }
}
/** Their values are data, not schemas. */
const VALUES: ReadonlySet<string> = new Set(["enum", "const", "default", "examples"])

/** The top without a union: every property of every alternative, and what all of them require. */
function flat(node: unknown, root: JsonSchema, refs: number): Node {
  if (!isObject(node)) return {}
  const { $ref, anyOf, oneOf, allOf, not: _not, if: _if, then: _then, else: _else, enum: _enum, const: _const, ...rest } = node
  let made: Node = { ...rest, type: "object", properties: isObject(rest["properties"]) ? { ...rest["properties"] } : {} }
  if (typeof $ref === "string" && refs > 0) made = both(made, flat(found($ref, root), root, refs - 1))
  for (const part of listOf(allOf)) made = both(made, flat(part, root, refs - 1))
  for (const union of [anyOf, oneOf]) {
    const all = listOf(union)
      .filter(mayBeObject)
      .map((part) => flat(part, root, refs - 1))
    const [first, ...others] = all
    if (first) made = both(made, others.reduce(either, first))
  }
  return made
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const mayBeObject = (part: unknown): boolean =>
  isObject(part) && (part["type"] === undefined || listOf(part["type"]).concat(part["type"]).includes("object"))

/** What a reference inside the schema points to. */
function found(ref: string, root: JsonSchema): unknown {
  if (!ref.startsWith("#/")) return undefined
  const steps = ref.slice(2).split("/")
  return steps.reduce<unknown>((node, step) => {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~")
    return isObject(node) && Object.hasOwn(node, name) ? node[name] : undefined
  }, root)
}

const propertiesOf = (node: Node): Node => (isObject(node["properties"]) ? node["properties"] : {})
const requiredOf = (node: Node): readonly unknown[] => listOf(node["required"])

const both = (a: Node, b: Node): Node => ({
  ...b,
  ...a,
  properties: { ...propertiesOf(b), ...propertiesOf(a) },
  ...required([...new Set([...requiredOf(a), ...requiredOf(b)])]),
})

function either(a: Node, b: Node): Node {
  const properties: Node = { ...propertiesOf(a) }
  for (const [name, theirs] of Object.entries(propertiesOf(b))) {
    const ours = properties[name]
    const same = ours === undefined || JSON.stringify(ours) === JSON.stringify(theirs)
    properties[name] = same ? theirs : { anyOf: [...(isObject(ours) && Array.isArray(ours["anyOf"]) ? ours["anyOf"] : [ours]), theirs] }
  }
  const { additionalProperties: _more, required: _required, ...rest } = a
  return { ...rest, properties, ...required(requiredOf(a).filter((name) => requiredOf(b).includes(name))) }
}

const required = (names: readonly unknown[]): Node => (names.length === 0 ? {} : { required: names })

function shaped(node: unknown, names: ToolNames): unknown {
  if (Array.isArray(node)) return node.map((one) => shaped(one, names))
  if (!isObject(node)) return node
  const made: Node = {}
  for (const [name, value] of Object.entries(node)) {
    if (VALUES.has(name)) made[name] = value
    else if (name === "properties" && isObject(value))
      made[name] = Object.fromEntries(Object.entries(value).map(([key, one]) => [names.safe(key), shaped(one, names)]))
    else if (name === "required" && Array.isArray(value)) made[name] = value.map((key) => (typeof key === "string" ? names.safe(key) : key))
    else made[name] = shaped(value, names)
  }
  const types = listOf(made["type"]).concat(made["type"])
  if (types.includes("object") && !isObject(made["properties"])) made["properties"] = {}
  if (types.includes("array")) {
    // A list of one schema for each place, in either of its two spellings.
    const places = [made["prefixItems"], made["items"]].find((list) => Array.isArray(list))
    delete made["prefixItems"]
    if (Array.isArray(places)) made["items"] = places.length === 1 ? places[0] : places.length === 0 ? {} : { anyOf: places }
    else if (!isObject(made["items"])) made["items"] = {}
  }
  return made
}

function renamed(args: string, names: ToolNames): string {
  try {
    return JSON.stringify(exactJson(args), (_, value: unknown) =>
      isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, one]) => [names.real(key), one])) : value,
    )
  } catch {
    return args
  }
}
