// Code steps [F24], [F25]: what the handler is given, and what its answer means. How it runs is ports/sandbox.ts.

import { checkContract, codeSummary } from "../../flow/code-contract.ts"
import type { CodeDecisionStep, CodeStep } from "../../flow/flow.ts"
import type { Json, JsonObject } from "../../json.ts"
import { valuesOf } from "./children.ts"
import type { Fact, FailureSource, FileRef } from "../event.ts"
import { labelsOf } from "../plan.ts"
import { taint } from "../session/taint.ts"
import { stepState, type Run } from "../state.ts"

export const codeKey = (step: string, pass: number): string => `${step}/${pass}/0/code`

export interface CodeWish {
  readonly do: "run-code"
  readonly key: string
  readonly step: string
  readonly input: JsonObject
}

export type CodeResult =
  | { readonly ok: true; readonly value: Json; readonly summary?: string; readonly logs: readonly string[] }
  | { readonly ok: false; readonly source: FailureSource; readonly message: string; readonly logs: readonly string[] }

export function openCode(run: Run, step: CodeStep | CodeDecisionStep): Fact[] {
  const warnings: Fact[] = []
  const values = valuesOf(run, step.id, step.inputs, warnings)
  return [
    {
      type: "step.opened",
      step: step.id,
      stepType: step.type,
      pass: stepState(run, step.id).pass,
      tools: [],
      values,
      ...taint(run, Object.values(step.inputs)),
    },
    ...warnings,
  ]
}

/** Soft, but for an error named FlowHardError; in a code-decision any failure is hard. */
export function codeFinished(run: Run, step: CodeStep | CodeDecisionStep, r: CodeResult): Fact {
  const pass = stepState(run, step.id).pass
  const end = { type: "step.finished", step: step.id, pass, files: [] as FileRef[] } as const
  const failed = (source: FailureSource, summary: string): Fact => ({
    ...end,
    status: "error",
    source,
    summary,
    outputs: {},
    ...(step.type === "code-decision" || source === "flow_hard_error" ? { hard: true } : {}),
  })
  if (!r.ok) return failed(r.source, r.message)
  const labels = labelsOf(step)
  const checked = checkContract({ outputs: step.outputs, ...(labels ? { branches: labels } : {}) }, r.value)
  if (!checked.ok) return failed("code_contract", checked.error)
  const { outputs, branch } = checked.value
  return {
    ...end,
    status: "complete",
    summary: r.summary ?? codeSummary(step.id, checked.value),
    outputs,
    text: JSON.stringify(outputs),
    ...(branch === undefined ? {} : { branch }),
  }
}
