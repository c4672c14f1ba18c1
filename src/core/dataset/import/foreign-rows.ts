// Defines what comes of a file of rows that another system wrote [V31]: rows, and everything that was left out, by its place.

import type { Json, JsonObject } from "../../json.ts"
import type { RowCase } from "../row.ts"

export interface ForeignRows {
  readonly rows: readonly RowCase[]
  readonly left_out: readonly { readonly at: string; readonly why: string }[]
}

/** The flow's inputs get the values of their names. What no input takes is the task: one value as it is, several by their names. */
export function givenBy(vars: JsonObject, inputs: ReadonlySet<string>): Pick<RowCase, "task" | "inputs"> {
  const taken = Object.entries(vars).filter(([name]) => inputs.has(name))
  const rest = Object.entries(vars).filter(([name]) => !inputs.has(name))
  const [only] = rest
  const task = rest.length === 1 && only ? textOf(only[1]) : rest.map(([name, value]) => `${name}: ${textOf(value)}`).join("\n")
  return { ...(task === "" ? {} : { task }), ...(taken.length === 0 ? {} : { inputs: Object.fromEntries(taken) }) }
}

export const textOf = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value))

/** A pattern that finds the text. */
export const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")

/** A pattern that finds the text in upper and lower case. */
export const anyCase = (text: string): string =>
  Array.from(text)
    .map((char) => {
      const [low, high] = [char.toLowerCase(), char.toUpperCase()]
      return low === high || low.length !== char.length || high.length !== char.length ? literal(char) : `[${low}${high}]`
    })
    .join("")
