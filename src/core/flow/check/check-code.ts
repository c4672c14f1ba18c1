// Code steps against the handlers that are stored [F24]. A handler may be written later: until then the step fails when it runs.

import type { Scope } from "./check-scope.ts"
import { codePathOf } from "../code-file.ts"

export function checkCode({ steps, flow, world, report }: Scope): void {
  if (world.code === undefined) return
  for (const { step, where, valueAt } of steps) {
    if ((step.type !== "code" && step.type !== "code-decision") || step.id === "" || world.code.has(step.id)) continue
    report.warn(
      "FV-CODE-HANDLER",
      valueAt("id"),
      `${where} has no handler yet, and fails ${step.type === "code" ? "softly" : "the run"} until it has one`,
      `PUT /v1/code/${encodeURIComponent(flow.id)}/${step.id}, or write ${codePathOf(flow.id, step.id)}`,
    )
  }
}
