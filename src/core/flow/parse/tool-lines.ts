// Finds where an agent's file names its tools: entry → line.

import { fieldsOf } from "./fields.ts"
import { readFrontmatter } from "./frontmatter.ts"
import { START } from "./place.ts"
import { openReport } from "./report.ts"
import { LISTS } from "./tool-wish.ts"

/** The lines of tools, and of the keys `toolkits` and `role`, which add tools. */
export function toolLines(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>()
  const { front } = readFrontmatter(text, "AV")
  if (front === undefined) return lines
  const fields = fieldsOf(front.head, openReport("AV"), "AV-FIELD", "the agent", START)
  for (const key of [...LISTS, "denied_tools"])
    for (const { text: entry, at } of fields.list(key, true)) if (!lines.has(entry)) lines.set(entry, at.line)
  for (const key of ["toolkits", "role"]) if (fields.has(key)) lines.set(key, fields.keyAt(key).line)
  return lines
}
