// Reads a file of rows [V28, V31]: JSON Lines of our own or of OpenAI evals, or a promptfoo configuration in YAML or JSON.

import { readFile } from "node:fs/promises"
import { parse } from "yaml"
import type { RowWish } from "../src/core/dataset/row-body.ts"
import { evalsRows, isEvals, type EvalsWish } from "../src/core/dataset/import/evals.ts"
import type { ForeignRows } from "../src/core/dataset/import/foreign-rows.ts"
import { promptfooRows } from "../src/core/dataset/import/promptfoo.ts"
import { isObject, type Json, type JsonObject } from "../src/core/json.ts"
import { messageOf } from "../src/core/text/fault-text.ts"
import type { Context } from "./context.ts"
import { usage } from "./program.ts"

export interface RowsRead {
  readonly rows: RowWish[]
  readonly left_out: ForeignRows["left_out"]
}

export async function rowsIn(context: Context, file: string, wish: EvalsWish): Promise<RowsRead> {
  const text = await readFile(context.file(file), "utf8").catch(() => {
    throw usage(`${file} cannot be read`)
  })
  const whole = /\.(ya?ml|json)$/i.test(file)
  const read = whole ? ofConfig(file, text, wish) : ofLines(file, text, wish)
  return { rows: read.rows as unknown as RowWish[], left_out: read.left_out }
}

function ofConfig(file: string, text: string, { inputs }: EvalsWish): ForeignRows {
  let config: unknown
  try {
    config = parse(text)
  } catch (error) {
    throw usage(`${file}: ${messageOf(error)}`)
  }
  if (!isObject(config) || config["tests"] === undefined) throw usage(`${file} is no promptfoo configuration: it has no \`tests\``)
  return promptfooRows(config as JsonObject, inputs)
}

function ofLines(file: string, text: string, wish: EvalsWish): ForeignRows {
  const lines = text.split("\n").flatMap((line, i): Json[] => {
    if (line.trim() === "") return []
    try {
      return [JSON.parse(line) as Json]
    } catch {
      throw usage(`line ${i + 1} of ${file} is not JSON`)
    }
  })
  return isEvals(lines[0]) ? evalsRows(lines, wish) : { rows: lines as ForeignRows["rows"], left_out: [] }
}
