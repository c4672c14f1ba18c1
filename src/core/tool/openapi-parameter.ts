// Reads the parameters of an OpenAPI operation [T26], and how a template can send each, given its `style` and `explode`. A list in the
// query repeats its name, and an object becomes the pairs of its style. If a list is sent as a single text, the argument is that text.

import { isObject, type JsonObject } from "../json.ts"
import type { Style } from "./http-template.ts"
import { resolved } from "./openapi-schema.ts"

export type ParameterForm =
  | { readonly form: "value"; readonly style?: Style }
  | { readonly form: "text"; readonly separator: string }
  | { readonly form: "unfit"; readonly why: string }

const SEPARATORS: Readonly<Record<string, string>> = { form: ",", simple: ",", spaceDelimited: " ", pipeDelimited: "|" }

export function sentAs(parameter: Readonly<Record<string, unknown>>, place: string, schema: JsonObject): ParameterForm {
  // OpenAPI 3.1, and `nullable` of 3.0, allow several types.
  const types = [schema["type"]].flat()
  const isList = types.includes("array")
  // A parameter with `content` is sent as its JSON.
  if (parameter["schema"] === undefined || (!isList && !types.includes("object"))) return { form: "value" }
  const style = typeof parameter["style"] === "string" ? parameter["style"] : place === "query" ? "form" : "simple"
  const explodes = typeof parameter["explode"] === "boolean" ? parameter["explode"] : style === "form"
  if (style === "deepObject" && place === "query") return { form: "value", style: "deep" }
  if (!isList) return place === "query" && explodes ? { form: "value", style: "members" } : { form: "unfit", why: "an object" }
  if (place === "query" && explodes) return { form: "value" }
  const separator = SEPARATORS[style]
  return separator === undefined ? { form: "unfit", why: `a list of the style ${style.slice(0, 40)}` } : { form: "text", separator }
}

export function listAsText({ description }: JsonObject, separator: string): JsonObject {
  const about = `Several values are separated by ${JSON.stringify(separator)}.`
  return { type: "string", description: typeof description === "string" ? `${description} ${about}` : about }
}

/** The path's parameters, overridden by the operation's. */
export function parametersOf(
  root: Record<string, unknown>,
  item: Record<string, unknown>,
  operation: Record<string, unknown>,
): readonly Record<string, unknown>[] {
  const all = new Map<string, Record<string, unknown>>()
  for (const list of [item["parameters"], operation["parameters"]]) {
    for (const given of Array.isArray(list) ? list : []) {
      const parameter = resolved(root, given)
      if (isObject(parameter)) all.set(`${String(parameter["in"])} ${String(parameter["name"])}`, parameter)
    }
  }
  return [...all.values()]
}

/** Limit: characters of a name; longer names are cut before they are processed. */
export const MAX_NAME = 500 // limit: characters of a name in an OpenAPI document → the rest is cut

/** A free argument name for the parameter: templates cannot refer to a name such as `filter[name]`. */
export function argumentFor(name: string, taken: JsonObject): string {
  const plain =
    name
      .slice(0, MAX_NAME)
      .replace(/[^A-Za-z0-9_-]+/g, "_")
      .replace(/^_+|_+$/g, "") || "value"
  let free = plain
  for (let n = 2; Object.hasOwn(taken, free) || free === "__proto__"; n++) free = `${plain}_${n}`
  return free
}
