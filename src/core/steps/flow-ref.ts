// flow-ref: runs another flow as a child [F23]. The child's last finish is this step's result.

import { defined } from "../defined.ts"
import type { FlowRefStep } from "../flow/flow.ts"
import type { FieldTable } from "../flow/parse/field-table.ts"
import type { Fields } from "../flow/parse/fields.ts"
import { readFields } from "../flow/parse/read-fields.ts"
import type { Report } from "../flow/parse/report.ts"
import { record, type Action } from "../run/action.ts"
import type { Fact } from "../run/event.ts"
import { offering } from "../run/rounds/offer.ts"
import { taint } from "../run/session/taint.ts"
import { stepState, type Run } from "../run/state.ts"
import { childFinish, childWishes } from "../run/steps/children.ts"
import { fill, valuesOf } from "../run/steps/scope.ts"
import { readFlowId, readFlowPath } from "./flow-id.ts"
import type { StepKind } from "./kind.ts"
import { readUntil, UNTIL } from "./until.ts"

const FIELDS = {
  flow: { kind: "flow", about: "the id of the flow to run as a child" },
  path: { kind: "path", about: "the path of the flow to run as a child: flows/NAME.yaml" },
  task: { kind: "template", about: "the child run's task; by default this run's task" },
  inputs: { kind: "templates", about: "the child's typed inputs" },
  until: UNTIL,
} as const satisfies FieldTable

export const flowRef: StepKind<FlowRefStep> = {
  fields: FIELDS,
  mark: "path",
  hints: ["flow"],
  read(common, { fields, report }) {
    const { flow, path, ...values } = readFields(fields, FIELDS)
    const until = readUntil(fields, report)
    return { ...common, type: "flow-ref", flow: flowOf(flow, path, fields, report), ...values, ...defined({ until }) }
  },
  outputs(step, { flow, world }) {
    const names = step.flow === flow.id ? Object.keys(flow.outputs ?? {}) : world.flows?.get(step.flow)?.outputs
    return names?.map((name) => ({ name }))
  },
  open,
  wishes,
  stub: (base) => ({ ...base, type: "flow-ref", flow: "" }),
}

function flowOf(flow: string | undefined, path: string | undefined, fields: Fields, report: Report): string {
  if (flow !== undefined && path !== undefined)
    report.error("FV-FLOW-PATH", fields.keyAt("path"), `${fields.where} names its flow twice, by "flow" and by "path"`, `remove "path"`)
  if (flow !== undefined) return readFlowId("flow", flow, fields, report)
  if (path !== undefined) return readFlowPath(path, fields, report)
  if (fields.has("path")) fields.required("path", "path: flows/NAME.yaml")
  else fields.required("flow", "flow: NAME")
  return ""
}

function open(run: Run, step: FlowRefStep): Fact[] {
  const warnings: Fact[] = []
  const values = valuesOf(run, step.id, step.inputs, warnings)
  const task = fill(run, step.id, {}, step.task ?? "${{task}}", warnings)
  return [
    {
      type: "step.opened",
      step: step.id,
      stepType: step.type,
      pass: stepState(run, step.id).pass,
      tools: [],
      task,
      values,
      total: 1,
      ...taint(run, [step.task ?? "${{task}}", ...Object.values(step.inputs)]),
    },
    ...warnings,
  ]
}

function wishes(run: Run, step: FlowRefStep): Action[] {
  const s = stepState(run, step.id)
  const c = s.children
  if (!c) return []
  const end = childFinish(step.id, s.pass)
  if (c.failed > 0) return [record({ ...end, status: "error", source: "child_failed", summary: c.message ?? "the child run failed" })]
  if (c.ended < c.total) return childWishes(run, step.id, c, 1, () => ({ flow: step.flow, task: c.task ?? "", inputs: c.values ?? {} }))
  const r = c.report
  return [
    record(
      offering(step, {
        ...end,
        status: "complete",
        summary: r?.summary ?? "",
        files: r?.files.map((f) => ({ ...f })) ?? [],
        outputs: r?.outputs ?? {},
        ...defined({ artifacts: r?.artifacts }),
      }),
    ),
  ]
}
