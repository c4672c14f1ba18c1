// Which type a step is, said or inferred [F4], and which keys belong to it [F3].

import { COMMON_FIELDS, keysOf, STEP_FIELDS } from "./field-table.ts"
import { warnUnknown, type Fields } from "./fields.ts"
import type { StepType } from "../flow.ts"
import { shown, type Report } from "./report.ts"

const isStepType = (text: string): text is StepType => Object.hasOwn(STEP_FIELDS, text)
const STEP_TYPES = Object.keys(STEP_FIELDS)
// Hints of the original that never changed what a step does.
const HINTS = ["output", "reads", "allowNotes"]

/** The keys that give a type away, in the order in which they are asked [F4], and the types that may hold them. */
const DISCRIMINATORS: readonly (readonly [key: string, types: readonly StepType[]])[] = [
  ["loop_target", ["agent-loop-decision"]],
  ["question", ["fork"]],
  ["check", ["conditional"]],
  ["path", ["flow-ref"]],
  ["branches", ["agent-decision", "fork", "code-decision"]],
]

/** Keys of types that nobody infers: they have to be written. */
const NEED_TYPE: readonly (readonly [key: string, type: StepType | "shell"])[] = [
  ["flow", "flow-ref"],
  ["over", "map"],
  ["do", "map"],
  ["until", "wait"],
  ["for", "wait"],
  ["signal", "wait"],
  ["outputs", "code"],
  ["target", "code"],
  ["command", "shell"],
]

/** Types of other times and other systems, and the lines that say the same here. */
const MIGRATIONS: Readonly<Record<string, readonly [why: string, lines: string]>> = {
  shell: ["no commands are run; a handler does the work", "type: code\noutputs: [stdout]"],
  command: ["no commands are run; a handler does the work", "type: code\noutputs: [stdout]"],
  bash: ["no commands are run; a handler does the work", "type: code\noutputs: [stdout]"],
  script: ["a handler in TypeScript or JavaScript does the work", "type: code\noutputs: [result]"],
  function: ["a handler in TypeScript or JavaScript does the work", "type: code\noutputs: [result]"],
  python: ["handlers are TypeScript or JavaScript", "type: code\noutputs: [result]"],
  decision: [
    "an agent decides, or a handler (code-decision)",
    "type: agent-decision\nagent: NAME\nbranches: { LABEL: step-id, OTHER: step-id }",
  ],
  if: ["a condition is whether a value is there", "type: conditional\ncheck: STEP.FIELD\npresent: step-id\nabsent: step-id"],
  condition: ["a condition is whether a value is there", "type: conditional\ncheck: STEP.FIELD\npresent: step-id\nabsent: step-id"],
  switch: ["a handler chooses a branch", "type: code-decision\nbranches: { LABEL: step-id, OTHER: step-id }"],
  loop: [
    "a decision leads back",
    "type: agent-loop-decision\nagent: NAME\ntask: Again?\nloop_target: step-id\nexit_target: step-id\nmax_iterations: 3",
  ],
  flow: ["another flow runs as a child", "type: flow-ref\nflow: NAME"],
  subflow: ["another flow runs as a child", "type: flow-ref\nflow: NAME"],
  foreach: ["a flow runs for each item of a list", 'type: map\nover: "${{result.STEP.OUTPUT}}"\ndo: FLOW'],
  "for-each": ["a flow runs for each item of a list", 'type: map\nover: "${{result.STEP.OUTPUT}}"\ndo: FLOW'],
  parallel: ["neighbouring agent steps run side by side anyway", "type: agent\nagent: NAME"],
  sleep: ["a wait has a duration, a time or a signal", "type: wait\nfor: 30s"],
  delay: ["a wait has a duration, a time or a signal", "type: wait\nfor: 30s"],
  input: [
    "a person is asked by a fork, or by an agent with the tool ask_user",
    "type: fork\nquestion: …\noptions: [first, second]\nbranches: { first: step-id, second: step-id }",
  ],
  ask: [
    "a person is asked by a fork, or by an agent with the tool ask_user",
    "type: fork\nquestion: …\noptions: [first, second]\nbranches: { first: step-id, second: step-id }",
  ],
}

/** Undefined, with the reason reported, when the step is of no type we run. */
export function readType(fields: Fields, report: Report): StepType | undefined {
  const named = fields.text("type")?.trim()
  if (named !== undefined && named !== "") return readNamed(named, fields, report)
  if (fields.has("type") && fields.node("type")?.kind !== "scalar" && fields.node("type") !== undefined) return undefined
  return inferType(fields, report)
}

function readNamed(named: string, fields: Fields, report: Report): StepType | undefined {
  const { where } = fields
  const at = fields.valueAt("type")
  if (!isStepType(named)) {
    const migration = Object.hasOwn(MIGRATIONS, named) ? MIGRATIONS[named] : undefined
    if (migration === undefined)
      report.error("FV-PARSE", at, `${where}: the type ${shown(named)} is not known`, report.hint(named, STEP_TYPES))
    else report.error("FV-TYPE-REMOVED", at, `${where}: there are no steps of type "${named}" here: ${migration[0]}`, migration[1])
    return undefined
  }
  for (const [key, types] of DISCRIMINATORS) {
    if (fields.has(key) && !types.includes(named))
      report.error(
        "FV-TYPE-CONFLICT",
        fields.keyAt(key),
        `${where} is of type "${named}", but "${key}" belongs to ${types.join(", ")}`,
        `leave "${key}" out, or write type: ${types[0] ?? named}`,
      )
  }
  return named
}

function inferType(fields: Fields, report: Report): StepType | undefined {
  const { where } = fields
  const present = DISCRIMINATORS.filter(([key]) => fields.has(key))
  const [first] = present
  const inferred: StepType = first === undefined ? "agent" : first[0] === "branches" ? "agent-decision" : (first[1][0] ?? "agent")
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
  if ((first === undefined || first[0] === "branches") && !fields.has("agent")) {
    const other = NEED_TYPE.find(([key]) => fields.has(key))
    if (other !== undefined) {
      const [key, owner] = other
      const type = owner === "shell" ? "code" : first === undefined || owner !== "code" ? owner : "code-decision"
      report.error(
        "FV-TYPE-MISSING",
        fields.keyAt(key),
        owner === "shell"
          ? `${where} has no type, and no commands are run here: a handler does the work`
          : `${where} has no type; "${key}" looks like a step of type ${type}, which has to be said`,
        `type: ${type}`,
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
  const own = [...keysOf(COMMON_FIELDS), ...keysOf(STEP_FIELDS[type])]
  const said = DISCRIMINATORS.map(([key]) => key)
  warnUnknown(fields, report, "FV-UNKNOWN-KEY", [...own, ...HINTS, ...said], (key) => {
    const owner = STEP_TYPES.find((t) => isStepType(t) && Object.hasOwn(STEP_FIELDS[t], key))
    return owner === undefined ? undefined : `"${key}" belongs to steps of type ${owner}, and this is of type ${type}; it is ignored`
  })
}
