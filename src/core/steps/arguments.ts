// Fills in the arguments of a tool step [F26]: every text in them, at any depth, is a template. A text that is a single reference keeps the JSON
// type of its value, and without a value its member is left out.

import { isObject, type Json, type JsonObject } from "../json.ts"
import { firstOf, onlyOperands } from "../flow/template.ts"
import type { Fact } from "../run/event.ts"
import type { Run } from "../run/state.ts"
import { lookup, newRoom, valueOf } from "../run/steps/scope.ts"

/** Every text in a value, with its place. */
export function textsIn(
  value: unknown,
  path: readonly (string | number)[] = [],
): { readonly path: readonly (string | number)[]; readonly text: string }[] {
  if (typeof value === "string") return [{ path, text: value }]
  if (Array.isArray(value)) return value.flatMap((item, i) => textsIn(item, [...path, i]))
  return isObject(value) ? Object.entries(value).flatMap(([name, member]) => textsIn(member, [...path, name])) : []
}

export function argumentsOf(run: Run, step: string, args: JsonObject, warnings: Fact[]): JsonObject {
  const room = newRoom()
  const see = lookup(run, {})
  const filled = (value: Json): Json | undefined => {
    if (typeof value === "string") {
      const only = onlyOperands(value, run.plan.stepIds)
      const given = valueOf(run, step, value, warnings, room)
      return only !== undefined && firstOf(only, see) === undefined ? undefined : given
    }
    if (Array.isArray(value)) return value.map(filled).filter((item) => item !== undefined)
    return isObject(value) ? members(value as JsonObject) : value
  }
  const members = (object: JsonObject): JsonObject =>
    Object.fromEntries(
      Object.entries(object).flatMap(([name, member]): [string, Json][] => {
        const value = filled(member)
        return value === undefined ? [] : [[name, value]]
      }),
    )
  return members(args)
}
