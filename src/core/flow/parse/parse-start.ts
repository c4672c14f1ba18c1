// Reads the `start` of a flow [R1, R2] by the schema that every place of a block has. An invalid member is an error: if it were ignored, it would look
// like a rule in force.

import type { Json } from "../../json.ts"
import { bodyFaults } from "../../schema/body-faults.ts"
import { saidStart } from "../../start/said-start.ts"
import type { SaidStart } from "../../start/start-block.ts"
import { FlowStart } from "../../start/start-schema.ts"
import { pathOf } from "../../text/pointer.ts"
import type { InputSpec } from "../flow.ts"
import { nodeAt } from "../check/check-scope.ts"
import { FLOW_FIELDS, type FieldSpec, type FieldTable } from "./field-table.ts"
import type { Fields } from "./fields.ts"
import { type Report, shown } from "./report.ts"
import { jsonOf, type Source } from "./source.ts"
import type { MapNode } from "./yaml-tree.ts"

const MAX_FAULTS = 20 // limit: faults told of a flow's `start` → further ones are not told

export function readStart(
  fields: Fields,
  inputs: Readonly<Record<string, InputSpec>>,
  source: Source,
  report: Report,
): SaidStart | undefined {
  const map = fields.map("start")
  if (map === undefined) return undefined
  const value = withTexts(map)
  const read = FlowStart.safeParse(value)
  if (!read.success) {
    for (const { pointer, message, suggestion } of bodyFaults(FlowStart, value, read.error.issues, MAX_FAULTS)) {
      const path = ["start", ...pathOf(pointer)]
      report.error("FV-START", placeOf(source, path), `${path.join(".")}: ${message}`, suggestion ?? exampleOf(path))
    }
    return undefined
  }
  const start = saidStart(read.data)
  const into = start.batch?.into
  if (into !== undefined && (!Object.hasOwn(inputs, into) || inputs[into]?.type !== "array")) {
    const lists = Object.keys(inputs).filter((name) => inputs[name]?.type === "array")
    report.error(
      "FV-START",
      source.place(["start", "batch", "into"]),
      `start.batch.into: the flow has no input ${shown(into)} of type array`,
      report.hint(into, lists) ?? `inputs: { ${into}: { type: array } }`,
    )
  }
  return start
}

/** What to write at the member, or at the nearest one around it that has an example. */
function exampleOf(path: readonly string[]): string {
  let table: FieldTable | undefined = { start: FLOW_FIELDS.start }
  let found: string = "start: { concurrency: { limit: 1 } }"
  for (const member of path) {
    const spec: FieldSpec | undefined = table?.[member]
    found = spec?.example ?? found
    table = spec?.fields
  }
  return found
}

/** What lacks is shown at the mapping that lacks it. */
function placeOf(source: Source, path: readonly string[]) {
  const key = path.at(-1)
  const isThere = nodeAt(source.root, path) !== undefined
  return source.place(isThere || key === undefined ? path : path.slice(0, -1))
}

/** Names may look like numbers: `key: 7`. They are text as written. */
const TEXTS = new Set(["key", "pool", "into"])
function withTexts(map: MapNode): Json {
  return Object.fromEntries(
    map.entries.map(({ key, value }): [string, Json] => {
      if (value.kind === "map") return [key, withTexts(value)]
      return [key, value.kind === "scalar" && value.value !== null && TEXTS.has(key) ? value.text : jsonOf(value)]
    }),
  )
}
