// Reads a file of rows [V28, V31]: JSON Lines of our own or of OpenAI evals, or a promptfoo configuration in YAML or JSON.

import { jsonOf, readYaml } from "../../flow/parse/source.ts"
import { isObject, type Json, type JsonObject } from "../../json.ts"
import { err, ok, type Result } from "../../result.ts"
import { evalsRows, isEvals, type EvalsWish } from "./evals.ts"
import type { ForeignRows } from "./foreign-rows.ts"
import { promptfooRows } from "./promptfoo.ts"

/** The error says what is wrong with the file as a whole, after its name. */
export function readRows(path: string, text: string, wish: EvalsWish): Result<ForeignRows, string> {
  return isConfiguration(path) ? ofConfiguration(text, wish) : ofLines(text, wish)
}

/** A file of another name has a row in each line. */
export const isConfiguration = (path: string): boolean => /\.(ya?ml|json)$/i.test(path)

function ofConfiguration(text: string, { inputs }: EvalsWish): Result<ForeignRows, string> {
  // The limits are those of a file of tests.
  const { root, diagnostics } = readYaml(text, "TV")
  const fault = diagnostics.find(({ severity }) => severity === "error")
  if (fault) return err(`cannot be read, line ${fault.line}: ${fault.message}`)
  const config = root && jsonOf(root)
  if (!isObject(config) || config["tests"] === undefined) return err("is no promptfoo configuration: it has no `tests`")
  return ok(promptfooRows(config as JsonObject, inputs))
}

function ofLines(text: string, wish: EvalsWish): Result<ForeignRows, string> {
  const lines: Json[] = []
  for (const [i, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue
    try {
      lines.push(JSON.parse(line) as Json)
    } catch {
      return err(`is not JSON in line ${i + 1}`)
    }
  }
  return ok(isEvals(lines[0]) ? evalsRows(lines, wish) : { rows: lines as ForeignRows["rows"], left_out: [] })
}
