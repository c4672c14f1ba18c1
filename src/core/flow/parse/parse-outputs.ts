// Reads an agent's declared outputs [F51]: bare names, or mappings with `type`, `pattern` and `required`.

import { defined } from "../../defined.ts"
import { compilePattern } from "../../schema/linear-pattern.ts"
import type { Agent, OutputSpec } from "../agent.ts"
import { fieldsOf, warnUnknown, type Fields } from "./fields.ts"
import { keysOf, OUTPUT_FIELDS } from "./field-table.ts"
import { FINALIZE_FIELDS, FINISH_FIELDS } from "../finish-schema.ts"
import { isOutputName, nameFrom } from "../../text/names.ts"
import type { SourcePlace } from "./place.ts"
import { shown, type Report } from "./report.ts"
import type { YamlNode } from "./yaml-tree.ts"

const OUTPUT_TYPES: readonly OutputSpec["type"][] = OUTPUT_FIELDS.type.values
const isOutputType = (text: string): text is OutputSpec["type"] => OUTPUT_TYPES.some((t) => t === text)

export function readOutputs(fields: Fields, finalizer: Agent["finalizer"], report: Report): OutputSpec[] {
  const taken = finalizer === "finish" ? FINISH_FIELDS : [...FINISH_FIELDS, ...FINALIZE_FIELDS]
  const node = fields.node("outputs")
  const specs: OutputSpec[] = []
  const keep = (spec: OutputSpec | undefined, at: SourcePlace): void => {
    if (spec === undefined) return
    if (taken.includes(spec.name))
      report.error(
        "AV-OUTPUT-RESERVED",
        at,
        `the output "${spec.name}" has the name of a built-in field`,
        `choose another name; reserved: ${taken.join(", ")}`,
      )
    else if (!isOutputName(spec.name))
      report.warn(
        "AV-OUTPUT",
        at,
        `${shown(spec.name)} is not a valid output name and is ignored: begin with a letter or digit, then use letters, digits, "_" and "-"`,
        nameFrom(spec.name, "_") || "result",
      )
    else if (specs.some((s) => s.name === spec.name))
      report.warn("AV-OUTPUT", at, `the output "${spec.name}" is repeated; the first one is used`, "keep one of them")
    else specs.push(spec)
  }
  if (node?.kind === "map") {
    fields.wrong(node.at, `"outputs" must be a list`, "outputs:\n  - { name: verdict, type: string }")
  } else if (node?.kind === "list") {
    for (const item of node.items) keep(readOutput(item, fields, report), item.at)
  } else for (const { text, at } of fields.list("outputs", true)) keep({ name: text, type: "string", required: false }, at)
  return specs
}

function readOutput(item: YamlNode, fields: Fields, report: Report): OutputSpec | undefined {
  if (item.kind === "scalar" && item.text.trim() !== "") return { name: item.text.trim(), type: "string", required: false }
  if (item.kind !== "map") {
    fields.wrong(item.at, `"outputs" contains an item without a name`, "- { name: verdict, type: string }")
    return undefined
  }
  const output = fieldsOf(item, report, "AV-FIELD", "output", item.at)
  const name = output.required("name").trim()
  warnUnknown(output, report, "AV", keysOf(OUTPUT_FIELDS))
  const description = output.text("description")
  const typed = output.text("type")?.trim()
  if (typed !== undefined && !isOutputType(typed))
    report.error(
      "AV-OUTPUT-TYPE",
      output.valueAt("type"),
      `output ${shown(name)}: the type ${shown(typed)} is unknown`,
      report.hint(typed, OUTPUT_TYPES),
    )
  const wished = output.text("pattern")
  // Patterns apply to text of a model, so a pattern that cannot be matched in linear time is dropped, like an invalid one.
  const pattern = wished === undefined ? undefined : compilePattern(wished)
  if (pattern?.ok === false)
    report.warn(
      "AV-PATTERN",
      output.valueAt("pattern"),
      `output ${shown(name)}: ${pattern.error}; any text is accepted`,
      "pattern: ^(pass|fail)$",
    )
  if (wished !== undefined && typed !== undefined && typed !== "string")
    report.warn(
      "AV-PATTERN",
      output.valueAt("pattern"),
      `output ${shown(name)} has both a pattern and the type ${typed}; the pattern wins, and the value is text`,
      `remove "pattern", or "type: ${typed}"`,
    )
  if (name === "") return undefined
  const choices = output.list("enum", false).map(({ text }) => text)
  return {
    name,
    ...defined({ description }),
    type: wished !== undefined || typed === undefined || !isOutputType(typed) ? "string" : typed,
    ...(wished === undefined || pattern?.ok !== true ? {} : { pattern: wished }),
    ...(choices.length === 0 ? {} : { enum: choices }),
    required: output.flag("required") ?? (typed !== undefined || wished !== undefined || choices.length > 0),
  }
}
