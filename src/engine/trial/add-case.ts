// Adds a case to the text of a flow's tests [K22]: comments, order and the other cases stay as they are.

import { isSeq, parseDocument, stringify } from "yaml"
import type { JsonObject } from "../../core/json.ts"

const FORM = { lineWidth: 0, aliasDuplicateObjects: false } as const

/** `text`: the current file; absent: there is none. */
export function withCase(text: string | undefined, one: JsonObject): string {
  if (text === undefined || text.trim() === "") return stringify({ cases: [one] }, FORM)
  const doc = parseDocument(text, { uniqueKeys: false, logLevel: "silent" })
  const list = doc.get("cases")
  if (!isSeq(list)) return stringify({ cases: [one] }, FORM)
  list.flow = false
  list.add(doc.createNode(one, { aliasDuplicateObjects: false }))
  return doc.toString(FORM)
}
