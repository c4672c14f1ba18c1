// Judges rows of the list of runs by globs of flows and by words [H5]. SQLite has neither in bounded time, so it is done row by row, in time
// proportional to the rows that a page looks at.

import { isObject, type Json, type JsonObject } from "../../../core/json.ts"
import { hasWords } from "../../../core/text/plain-words.ts"
import { matchesGlob } from "../../../core/tool/policy/tool-names.ts"
import type { RunFilter } from "../../../ports/tenant/run-list.ts"

export interface CheckedRow {
  readonly flow: string
  /** JSON. */
  readonly view: string
}

export const isGlob = (name: string): boolean => name.includes("*")

/** undefined: there is nothing that SQL does not judge. */
export function rowCheck({ flow = [], q = [] }: Pick<RunFilter, "flow" | "q">): ((row: CheckedRow) => boolean) | undefined {
  const isNamed = flow.some(isGlob) ? flowCheck(flow) : undefined
  if (q.length === 0) return isNamed && ((row) => isNamed(row.flow))
  // JSON has all texts of the row as they are, but for these characters; so most rows need not be parsed.
  const plain = q.filter((word) => !/["\\\p{Cc}\p{Cs}]/u.test(word))
  return ({ flow: of, view }) => (isNamed?.(of) ?? true) && hasWords(view, plain) && hasWords(textsOf(JSON.parse(view)), q)
}

/** Each name is judged once. */
export function flowCheck(globs: readonly string[]): (flow: string) => boolean {
  const known = new Map<string, boolean>()
  return (flow) => {
    const before = known.get(flow)
    if (before !== undefined) return before
    const now = globs.some((glob) => matchesGlob(glob, flow))
    known.set(flow, now)
    return now
  }
}

/** What a row of the list has to be found by. */
function textsOf({ id, flow, task, error, tags, trigger }: JsonObject): string {
  const failure = isObject(error) ? [error["step"], error["source"], error["message"]] : []
  const cause = isObject(trigger) ? [trigger["kind"], trigger["hook"], trigger["schedule"], trigger["key"], trigger["delivery"]] : []
  const texts: readonly (Json | undefined)[] = [id, flow, task, ...failure, ...(Array.isArray(tags) ? tags : []), ...cause]
  return texts.filter((text) => typeof text === "string").join("\n")
}
