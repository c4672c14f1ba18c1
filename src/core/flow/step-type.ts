// Which type a step is, said or inferred [F4], and which keys belong to it [F3].

import { warnUnknown, type Fields } from "./fields.ts"
import type { StepType } from "./flow.ts"
import { shown, type Report } from "./report.ts"

const COMMON = ["id", "type", "description", "blockedBy", "timeout", "retry", "on_error", "on_complete"]
const KEYS: Readonly<Record<StepType, readonly string[]>> = {
  agent: ["agent", "task", "inputs", "model"],
  "agent-decision": ["agent", "task", "inputs", "model", "branches", "max_iterations", "on_exhausted"],
  "agent-loop-decision": ["agent", "task", "inputs", "model", "loop_target", "exit_target", "max_iterations"],
  fork: ["question", "options", "branches", "agent", "task", "inputs", "model", "max_iterations", "allowCustom", "multiSelect"],
  conditional: ["check", "present", "absent"],
}
const isStepType = (text: string): text is StepType => Object.hasOwn(KEYS, text)
const STEP_TYPES = Object.keys(KEYS)
const LATER_TYPES = ["code", "code-decision", "flow-ref", "map", "wait", "shell"]
export const UNSUPPORTED_KEYS = ["budget", "session"]
// Hints of the original that never changed what a step does.
const HINTS = ["output", "reads", "allowNotes"]

/** The keys that give a type away, in the order in which they are asked [F4], and the types that may hold them. */
const DISCRIMINATORS: readonly (readonly [key: string, types: readonly string[]])[] = [
  ["loop_target", ["agent-loop-decision"]],
  ["question", ["fork"]],
  ["check", ["conditional"]],
  ["path", ["flow-ref"]],
  ["branches", ["agent-decision", "fork", "code-decision"]],
]

/** Undefined, with the reason reported, when the step is of no type we run. */
export function readType(fields: Fields, report: Report): StepType | undefined {
  const { where } = fields
  const present = DISCRIMINATORS.filter(([key]) => fields.has(key))
  const named = fields.text("type")?.trim()
  const at = fields.valueAt("type")
  if (named !== undefined && named !== "") {
    if (LATER_TYPES.includes(named)) {
      report.error(
        "FV-UNSUPPORTED",
        at,
        `${where}: steps of type "${named}" are not supported yet`,
        `types that run now: ${STEP_TYPES.join(", ")}`,
      )
      return undefined
    }
    if (!isStepType(named)) {
      report.error("FV-PARSE", at, `${where}: the type ${shown(named)} is not known`, report.hint(named, [...STEP_TYPES, ...LATER_TYPES]))
      return undefined
    }
    for (const [key, types] of present) {
      if (!types.includes(named))
        report.error(
          "FV-TYPE-CONFLICT",
          fields.keyAt(key),
          `${where} is of type "${named}", but "${key}" belongs to ${types.join(", ")}`,
          `leave "${key}" out, or write type: ${types[0] ?? named}`,
        )
    }
    return named
  }
  if (fields.has("type") && fields.node("type")?.kind !== "scalar" && fields.node("type") !== undefined) return undefined

  const [first] = present
  const inferred = first === undefined ? "agent" : first[0] === "branches" ? "agent-decision" : (first[1][0] ?? "agent")
  const others = present.filter(([, types]) => !types.includes(inferred))
  for (const [key, types] of others) {
    report.error(
      "FV-TYPE-CONFLICT",
      fields.keyAt(key),
      `${where} has both "${first?.[0] ?? ""}" (type ${inferred}) and "${key}" (${types.join(", ")})`,
      "write the type, and leave the other key out",
    )
  }
  if (others.length > 0) return undefined
  if (!isStepType(inferred)) {
    report.error(
      "FV-UNSUPPORTED",
      fields.keyAt("path"),
      `${where}: steps of type "${inferred}" are not supported yet`,
      `types that run now: ${STEP_TYPES.join(", ")}`,
    )
    return undefined
  }
  if (first === undefined && !fields.has("agent")) {
    const other = ["command", "target", "flow"].find((key) => fields.has(key))
    if (other !== undefined) {
      report.error(
        "FV-PARSE",
        fields.keyAt(other),
        `${where} has no type, and "${other}" gives away none that runs now`,
        `types that run now: ${STEP_TYPES.join(", ")}`,
      )
      return undefined
    }
  }
  report.warn(
    "FV-TYPE-INFER",
    fields.has("id") ? fields.valueAt("id") : fields.keyAt("id"),
    `${where} has no type; it is taken as "${inferred}"`,
    `type: ${inferred}`,
  )
  return inferred
}

export function warnStepKeys(fields: Fields, type: StepType, report: Report): void {
  const own = [...COMMON, ...KEYS[type]]
  const said = DISCRIMINATORS.map(([key]) => key)
  warnUnknown(fields, report, "FV-UNKNOWN-KEY", [...own, ...UNSUPPORTED_KEYS, ...HINTS, ...said], (key) => {
    const owner = STEP_TYPES.find((t) => isStepType(t) && KEYS[t].includes(key))
    return owner === undefined ? undefined : `"${key}" belongs to steps of type ${owner}, and this is of type ${type}; it is ignored`
  })
}
