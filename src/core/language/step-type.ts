// Finds a step's type, explicit or inferred [F4], and the keys that belong to it [F3].

import { isStepType, KINDS, STEP_TYPES } from "../steps/kinds.ts"
import { COMMON_FIELDS, keysOf } from "../flow/parse/field-table.ts"
import { warnUnknown, type Fields } from "../flow/parse/fields.ts"
import { FOREIGN_STEP_KEYS } from "../flow/parse/foreign-key.ts"
import type { StepType } from "../flow/flow.ts"
import { shown, type Report } from "../flow/parse/report.ts"

// Hints from pi-flows that never had an effect.
const HINTS = ["output", "reads", "allowNotes"]

const ownersOf = (key: string): StepType[] => STEP_TYPES.filter((type) => Object.hasOwn(KINDS[type].fields, key))

/** The keys of the types, each with the types that allow it. Keys of fewer types come first, because they identify a type better. */
const keysWithOwners = (keys: (type: StepType) => readonly string[]): (readonly [key: string, owners: readonly StepType[]])[] =>
  STEP_TYPES.flatMap((type) => keys(type).map((key) => [key, namersOf(key, keys)] as const)).toSorted(([, a], [, b]) => a.length - b.length)

/** The types that allow a key, those that name it first. */
const namersOf = (key: string, keys: (type: StepType) => readonly string[]): StepType[] =>
  ownersOf(key).toSorted((a, b) => Number(keys(b).includes(key)) - Number(keys(a).includes(key)))

/** The keys that identify a type [F4]. */
const MARKS = keysWithOwners((type) => [KINDS[type].mark ?? []].flat())

/** Keys of types that are never inferred: the step must have an explicit type. */
const HINTED = keysWithOwners((type) => KINDS[type].hints ?? [])

/** Types of older versions and other systems, with the lines that do the same in Sluice. */
const MIGRATIONS: Readonly<Record<string, readonly [why: string, lines: string]>> = {
  shell: ["steps do not run commands; use a handler", "type: code\noutputs: [stdout]"],
  command: ["steps do not run commands; use a handler", "type: code\noutputs: [stdout]"],
  bash: ["steps do not run commands; use a handler", "type: code\noutputs: [stdout]"],
  script: ["use a handler in TypeScript or JavaScript", "type: code\noutputs: [result]"],
  function: ["use a handler in TypeScript or JavaScript", "type: code\noutputs: [result]"],
  python: ["handlers are written in TypeScript or JavaScript", "type: code\noutputs: [result]"],
  decision: [
    "an agent decides (agent-decision), or a handler (code-decision)",
    "type: agent-decision\nagent: NAME\nbranches: { LABEL: step-id, OTHER: step-id }",
  ],
  if: ["a conditional checks whether a value exists", "type: conditional\ncheck: STEP.FIELD\npresent: step-id\nabsent: step-id"],
  condition: ["a conditional checks whether a value exists", "type: conditional\ncheck: STEP.FIELD\npresent: step-id\nabsent: step-id"],
  switch: ["a handler chooses a branch", "type: code-decision\nbranches: { LABEL: step-id, OTHER: step-id }"],
  loop: [
    "a decision leads back",
    "type: agent-loop-decision\nagent: NAME\ntask: Again?\nloop_target: step-id\nexit_target: step-id\nmax_iterations: 3",
  ],
  flow: ["another flow runs as a child", "type: flow-ref\nflow: NAME"],
  subflow: ["another flow runs as a child", "type: flow-ref\nflow: NAME"],
  foreach: ["a flow runs for each item of a list", 'type: map\nover: "${{result.STEP.OUTPUT}}"\ndo: FLOW'],
  "for-each": ["a flow runs for each item of a list", 'type: map\nover: "${{result.STEP.OUTPUT}}"\ndo: FLOW'],
  parallel: ["adjacent agent steps run in parallel anyway", "type: agent\nagent: NAME"],
  sleep: ["use a wait for a duration, a time or a signal", "type: wait\nfor: 30s"],
  delay: ["use a wait for a duration, a time or a signal", "type: wait\nfor: 30s"],
  input: [
    "use a fork to ask a person, or an agent with the tool ask_user",
    "type: fork\nquestion: …\noptions: [first, second]\nbranches: { first: step-id, second: step-id }",
  ],
  ask: [
    "use a fork to ask a person, or an agent with the tool ask_user",
    "type: fork\nquestion: …\noptions: [first, second]\nbranches: { first: step-id, second: step-id }",
  ],
}

/** Undefined, after a diagnostic, if the step's type is not supported. */
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
      report.error("FV-PARSE", at, `${where}: the type ${shown(named)} is unknown`, report.hint(named, STEP_TYPES))
    else report.error("FV-TYPE-REMOVED", at, `${where}: the step type "${named}" does not exist: ${migration[0]}`, migration[1])
    return undefined
  }
  for (const [key, types] of MARKS) {
    if (fields.has(key) && !types.includes(named))
      report.error(
        "FV-TYPE-CONFLICT",
        fields.keyAt(key),
        `${where} is of type "${named}", but "${key}" belongs to ${types.join(", ")}`,
        `remove "${key}", or write type: ${types[0] ?? named}`,
      )
  }
  return named
}

function inferType(fields: Fields, report: Report): StepType | undefined {
  const { where } = fields
  const present = MARKS.filter(([key]) => fields.has(key))
  const [first] = present
  const inferred: StepType = first?.[1][0] ?? "agent"
  const others = present.filter(([, types]) => !types.includes(inferred))
  for (const [key, types] of others) {
    report.error(
      "FV-TYPE-CONFLICT",
      fields.keyAt(key),
      `${where} has both "${first?.[0] ?? ""}" (type ${inferred}) and "${key}" (${types.join(", ")})`,
      "write the type, and remove the other key",
    )
  }
  if (others.length > 0) return undefined
  if ((first === undefined || first[0] === "branches") && !fields.has("agent")) {
    const [key, owners] = HINTED.find(([hint]) => fields.has(hint)) ?? []
    // A step with branches is a decision.
    const type = first === undefined ? owners?.[0] : (owners?.find((owner) => first[1].includes(owner)) ?? owners?.[0])
    if (key !== undefined && type !== undefined) {
      report.error(
        "FV-TYPE-MISSING",
        fields.keyAt(key),
        `${where} has no type; "${key}" looks like type ${type}, which must be explicit`,
        `type: ${type}`,
      )
      return undefined
    }
    if (fields.has("command")) {
      report.error(
        "FV-TYPE-MISSING",
        fields.keyAt("command"),
        `${where} has no type, and steps do not run commands: use a handler`,
        "type: code",
      )
      return undefined
    }
  }
  report.warn(
    "FV-TYPE-INFER",
    fields.has("id") ? fields.valueAt("id") : fields.keyAt("id"),
    `${where} has no type; "${inferred}" is assumed`,
    `type: ${inferred}`,
  )
  return inferred
}

export function warnStepKeys(fields: Fields, type: StepType, report: Report): void {
  const own = [...keysOf(COMMON_FIELDS), ...keysOf(KINDS[type].fields)]
  // check-cache.ts and check-until.ts refuse these at any other step.
  const said = [...MARKS.map(([key]) => key), "cache", "until"]
  // check-foreign-keys.ts reports the keys of other systems.
  const entries = fields.entries.filter(({ key }) => !FOREIGN_STEP_KEYS.has(key))
  warnUnknown({ ...fields, entries }, report, "FV", [...own, ...HINTS, ...said], (key) => {
    const [owner] = ownersOf(key)
    return owner === undefined
      ? undefined
      : { why: `"${key}" belongs to steps of type ${owner}, but this step is of type ${type}; the key is ignored` }
  })
}
