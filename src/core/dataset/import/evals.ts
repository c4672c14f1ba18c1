// Makes rows of a file of OpenAI evals [V31]: JSON Lines of `{item}` or of `{input, ideal}`.

import { isObject, type Json, type JsonObject } from "../../json.ts"
import type { Said } from "../../run/event-parts.ts"
import type { RowCase } from "../row.ts"
import { givenBy, literal, textOf, type ForeignRows } from "./foreign-rows.ts"

export interface EvalsWish {
  /** Names of the flow's inputs. */
  readonly inputs: ReadonlySet<string>
  /** The member of an item that has the reference answer. */
  readonly expected?: string | undefined
}

/** Whether a line is of such a file. */
export const isEvals = (line: unknown): boolean => isObject(line) && (isObject(line["item"]) || line["input"] !== undefined)

export function evalsRows(lines: readonly Json[], wish: EvalsWish): ForeignRows {
  const rows: RowCase[] = []
  const left_out: { at: string; why: string }[] = []
  for (const [i, line] of lines.entries()) {
    const at = `/${i}`
    const row = isObject(line) ? rowOf(line as JsonObject, wish) : undefined
    if (row) rows.push(row)
    else left_out.push({ at, why: "it has neither an `item` nor an `input` with a message of the user" })
    if (!isObject(line) || !row) continue
    for (const name of Object.keys(line))
      if (!["item", "input", "ideal"].includes(name)) left_out.push({ at: `${at}/${name}`, why: "a row has no such member" })
  }
  return { rows, left_out }
}

function rowOf(line: JsonObject, { inputs, expected }: EvalsWish): RowCase | undefined {
  const { item, input, ideal } = line
  if (isObject(item)) {
    const { [expected ?? ""]: reference, ...vars } = item as JsonObject
    return { ...givenBy(vars, inputs), ...answering(expected === undefined ? undefined : reference) }
  }
  const said = typeof input === "string" ? [{ role: "user", text: input } as const] : messagesOf(input)
  const at = said.findLastIndex(({ role }) => role === "user")
  const task = said[at]?.text
  if (task === undefined) return undefined
  const conversation = said.slice(0, at)
  return { task, ...(conversation.length === 0 ? {} : { conversation }), ...answering(ideal) }
}

function messagesOf(input: Json | undefined): Said[] {
  return (Array.isArray(input) ? input : []).flatMap((message): Said[] => {
    if (!isObject(message)) return []
    const { role, content } = message
    if (typeof content !== "string" || (role !== "system" && role !== "user" && role !== "assistant")) return []
    return [{ role, text: content }]
  })
}

/** Of several references any will do. */
function answering(ideal: Json | undefined): Pick<RowCase, "expect"> {
  if (ideal === undefined || ideal === null) return {}
  if (!Array.isArray(ideal)) return { expect: { answer: textOf(ideal) } }
  return { expect: { answer: { matches: `^(?:${ideal.map((one) => literal(textOf(one))).join("|")})$` } } }
}
