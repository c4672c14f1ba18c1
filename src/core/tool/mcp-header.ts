// Checks arguments of an MCP tool that its schema also sends as headers [T27]: a conforming client must not offer a tool with wrong header names.

import { isObject } from "../json.ts"

const KEY = "x-mcp-header"
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const TYPES: ReadonlySet<unknown> = new Set(["string", "integer", "boolean"])

/** The fault in the headers that a schema names, or undefined. The schema has a bounded depth. */
export function headerFault(schema: unknown): string | undefined {
  const names = new Set<string>()
  // Only a property of properties has a place in the arguments that is known without a value.
  const visit = (node: unknown, isProperty: boolean, at: string): string | undefined => {
    if (Array.isArray(node)) return firstOf(node, (item) => visit(item, false, at))
    if (!isObject(node)) return undefined
    const name = node[KEY]
    if (Object.hasOwn(node, KEY)) {
      if (!isProperty || at === "") return `its input schema has ${KEY} where no argument is`
      if (typeof name !== "string" || !TOKEN.test(name)) return `${KEY} of ${at} is not the name of a header`
      if (!TYPES.has(node["type"])) return `${KEY} of ${at} needs an argument of the type string, integer or boolean`
      if (names.has(name.toLowerCase())) return `${KEY} names ${JSON.stringify(name)} twice`
      names.add(name.toLowerCase())
    }
    return firstOf(Object.entries(node), ([key, value]) =>
      key === "properties" && isObject(value)
        ? firstOf(Object.entries(value), ([property, inner]) => visit(inner, isProperty, at === "" ? property : `${at}.${property}`))
        : SILENT.has(key)
          ? undefined
          : visit(value, false, at),
    )
  }
  return visit(schema, true, "")
}

/** Their values are data, not schemas. */
const SILENT: ReadonlySet<string> = new Set([KEY, "const", "enum", "default", "examples", "example"])

function firstOf<T>(items: readonly T[], find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}
