// What a step type is, besides its shape (core/flow/flow.ts): how it is read and checked, how a step of it opens, what the open step
// wants, what its end means. Kinds are data and pure functions; readers index `KINDS[step.type]`.

import type { DiagnosticCode } from "../flow/parse/codes.ts"
import type { Fields } from "../flow/parse/fields.ts"
import type { FieldTable } from "../flow/parse/field-table.ts"
import type { Report } from "../flow/parse/report.ts"
import type { Placed, Scope } from "../flow/check/check-scope.ts"
import type { InputType, Step, StepBase } from "../flow/flow.ts"
import type { Action } from "../run/action.ts"
import type { EventOf, Fact } from "../run/event.ts"
import type { PendingRoute, Run, StepState } from "../run/state.ts"

export interface StepKind<S extends Step = Step> {
  /** The keys of its own, besides those that every step has [F3]. Its templates are the fields of the kinds `template` and `templates`. */
  readonly fields: FieldTable
  /** A step with this key and no type is of this type [F4]. */
  readonly mark?: string
  /** A step with one of these keys and no type looks like this type, and has to say so. */
  readonly hints?: readonly string[]
  read(common: StepBase, source: StepSource): S
  /** Rules about the whole flow that only this type has. */
  check?(step: S, placed: Placed, scope: Scope): void
  /** Reported when the agent of a step does not exist. */
  readonly noAgent?: DiagnosticCode
  /** A result that a key names without a template [F22]. */
  reads?(step: S): { readonly key: string; readonly step: string; readonly field: string }
  /** What its result has besides the fields that every result has; undefined: unknown, because an agent or a flow is missing. */
  outputs(step: S, scope: Scope): readonly StepOutput[] | undefined
  /** Does only a person decide this step? Then the flow is not autonomous unless it says so [F21]. */
  needsPerson?(step: S): boolean

  /** The facts of entering the step; never empty, and never a model call by themselves. What the step reads is fixed in them [J6]. */
  open(run: Run, step: S): Fact[]
  /** What the open step wants. Absent: what its session wants. A `record` comes alone. */
  wishes?(run: Run, step: S): Action[]
  /** Time for the effect to report its own timeout, before the kernel ends the step (ms). */
  readonly grace?: number
  /** The step ends this way at its timeout; absent or undefined: it fails softly. */
  timedOut?(step: S, pass: number): Fact | undefined
  /** Why a run waits that has nothing to do but this step. */
  waitsFor?(step: S): string
  /** Who chose the branch; absent: its agent. */
  chooser?(run: Run, state: StepState, id: string): PendingRoute["by"]
  /** The step has ended well: what the run notes beyond its result. `state` has no session any more; `agent` had it. */
  completed?(run: Run, state: StepState, e: EventOf<"step.finished">, agent: string | undefined): void
  /** A step of a run whose definitions are lost, as far as the journal tells [J12]; absent: it is shown as an agent's. */
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
  /** Absent: any. */
  readonly type?: InputType
}
