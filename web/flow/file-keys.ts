// Every key of flow and agent files, as the readers know them [F3]: the build puts this table beside the editors, which complete and explain by
// it. The tables themselves stand between code that no browser needs.

import type { CheckScope } from "../../src/core/flow/check/check-scope.ts"
import type { StepType } from "../../src/core/flow/flow.ts"
import {
  AGENT_FIELDS,
  COMMON_FIELDS,
  FLOW_FIELDS,
  INPUT_FIELDS,
  OUTPUT_FIELDS,
  type FieldTable,
} from "../../src/core/flow/parse/field-table.ts"
import { BASE_ROLES } from "../../src/core/language/parse-agent.ts"
import { KINDS } from "../../src/core/steps/kinds.ts"

export interface FileKeys {
  readonly flow: FieldTable
  /** Of every step. */
  readonly step: FieldTable
  /** Besides those of every step. `mark`: a step that has it and says no type is of this one. */
  readonly types: Readonly<Record<string, { readonly fields: FieldTable; readonly mark?: string }>>
  /** Type → the outputs that each of its steps has. */
  readonly given: Readonly<Record<string, readonly string[]>>
  readonly agent: FieldTable
  /** Of an input of a flow, and of an output of an agent or a handler. */
  readonly input: FieldTable
  readonly output: FieldTable
  readonly roles: readonly string[]
}

const NO_FIELDS = { id: "", blockedBy: [], inputs: {} }
/** These types have the same outputs whatever stands around them. */
const given = (type: "map" | "wait" | "tool", more: object = {}): readonly string[] => {
  const step = KINDS[type].stub?.(NO_FIELDS, "")
  const outputs = step && KINDS[type].outputs({ ...step, ...more }, {} as CheckScope)
  return (outputs ?? []).map(({ name }) => name)
}

export function fileKeys(): FileKeys {
  const types = Object.entries(KINDS) as [StepType, (typeof KINDS)[StepType]][]
  return {
    flow: FLOW_FIELDS,
    step: COMMON_FIELDS,
    types: Object.fromEntries(types.map(([type, { fields, mark }]) => [type, { fields, ...(mark === undefined ? {} : { mark }) }])),
    given: { map: given("map"), tool: given("tool"), wait: given("wait", { signal: "NAME" }) },
    agent: AGENT_FIELDS,
    input: INPUT_FIELDS,
    output: OUTPUT_FIELDS,
    roles: BASE_ROLES,
  }
}
