// Reads the flow that a step runs [F23]: an id, or the path of its file.

import type { Fields } from "../flow/parse/fields.ts"
import { shown, type Report } from "../flow/parse/report.ts"
import { flowIdOf } from "../flow/path-id.ts"
import { isFlowId } from "../text/names.ts"

/** The flow id of `key`; "" after a diagnostic. */
export function readFlowId(key: string, text: string, fields: Fields, report: Report): string {
  if (isFlowId(text)) return text
  const id = flowOf(text)
  report.error(
    "FV-FLOW-PATH",
    fields.valueAt(key),
    `${fields.where}: ${shown(text)} is not a flow id${text.includes("${{") ? "; the flow must be known before the run begins" : ""}`,
    id === undefined ? `${key}: NAME, or FOLDER:NAME for flows/FOLDER/NAME.yaml` : `${key}: ${id}`,
  )
  return ""
}

export function readFlowPath(path: string, fields: Fields, report: Report): string {
  const at = fields.valueAt("path")
  const { where } = fields
  const id = flowOf(path)
  if (id !== undefined) return id
  if (/[*?[\]{}]/.test(path) && !path.includes("${{"))
    report.error(
      "FV-FLOW-PATH",
      at,
      `${where}: ${shown(path)} is a pattern; a flow-ref runs a single flow`,
      "use a flow-ref for each flow, or a map over their inputs",
    )
  else
    report.error(
      "FV-FLOW-PATH",
      at,
      path.includes("${{") ? `${where}: the flow must be known before the run begins` : `${where}: ${shown(path)} is not a flow file`,
      "path: flows/NAME.yaml",
    )
  return ""
}

/** The id of `flows/a/b.yaml`, with or without pi-flows' leading folders, or of the path inside `flows`. */
function flowOf(path: string): string | undefined {
  const bare = path.replace(/^(?:\.\/)+/, "").replace(/^\.pi\/flows\//, "")
  return flowIdOf(bare.startsWith("flows/") ? bare : `flows/${bare}`) ?? (bare.startsWith("flows/") ? flowIdOf(bare.slice(6)) : undefined)
}
