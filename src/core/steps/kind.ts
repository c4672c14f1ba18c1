// Defines a step type, besides its shape (core/flow/flow.ts): how its steps are read, checked and opened, what an open step requests, and
// what its end means. Kinds are data and pure functions; callers use `KINDS[step.type]`.

import type { DiagnosticCode } from "../diagnostic-codes.ts"
import type { Fields } from "../flow/parse/fields.ts"
import type { FieldTable } from "../flow/parse/field-table.ts"
import type { Report } from "../flow/parse/report.ts"
import type { Placed, CheckScope } from "../flow/check/check-scope.ts"
import type { InputType, Step, StepBase } from "../flow/flow.ts"
import type { Action } from "../run/action.ts"
import type { EventOf, Fact } from "../run/event.ts"
import type { PendingRoute, Run, StepState } from "../run/state.ts"

export interface StepKind<S extends Step = Step> {
  /** The type's keys, besides the common keys [F3]. Its templates are the fields of the kinds `template` and `templates`. */
  readonly fields: FieldTable
  /** A step without a type is of this type if it has this key [F4]. */
  readonly mark?: string
  /** A step without a type but with one of these keys looks like this type, and must have an explicit type. */
  readonly hints?: readonly string[]
  read(common: StepBase, source: StepSource): S
  /** Checks rules of this type that need the whole flow. */
  check?(step: S, placed: Placed, scope: CheckScope): void
  /** The code to report if the step's agent does not exist. */
  readonly noAgent?: DiagnosticCode
  /** A result that a key names without a template [F22]. */
  reads?(step: S): { readonly key: string; readonly step: string; readonly field: string }
  /** The result's fields besides the common fields; undefined: unknown, because an agent or a flow is missing. */
  outputs(step: S, scope: CheckScope): readonly StepOutput[] | undefined
  /** Can only a person decide this step? Then the flow is not autonomous by default [F21]. */
  needsPerson?(step: S): boolean

  /** The facts of entering the step; never empty, and never a model call. They record the values that the step reads [J6]. */
  open(run: Run, step: S): Fact[]
  /** The actions that the open step requests. Absent: those of its session. A `record` is always the only action. */
  wishes?(run: Run, step: S): Action[]
  /** Extra time (ms) for the effect to report its own timeout, before the kernel ends the step. */
  readonly grace?: number
  /** The end of the step at its timeout; absent or undefined: the step fails softly. */
  timedOut?(step: S, pass: number): Fact | undefined
  /** The reason for waiting if the run has nothing else to do. */
  waitsFor?(step: S): string
  /** Who chose the branch; absent: its agent. */
  chooser?(run: Run, state: StepState, id: string): PendingRoute["by"]
  /** Records data besides the result after the step succeeds. `state` no longer has a session; `agent` had the session. */
  completed?(run: Run, state: StepState, e: EventOf<"step.finished">, agent: string | undefined): void
  /** Rebuilds the step of a run whose definitions are lost, from its journal [J12]; absent: an agent step is shown. */
  stub?(
    base: { readonly id: string; readonly blockedBy: readonly string[]; readonly inputs: Readonly<Record<string, string>> },
    agent: string,
  ): S
}

export interface StepSource {
  readonly fields: Fields
  readonly report: Report
  /** Ids of all steps of the file. */
  readonly ids: readonly string[]
}

export interface StepOutput {
  readonly name: string
  /** Absent: any type. */
  readonly type?: InputType
}
