// Limits what one validation may cost [G6]. Schemas come from tenants, OpenAPI documents and MCP servers, values from models: together they
// could keep a run's object busy for minutes, so every step of a validation is charged to a shared allowance.

import { effort, type Effort } from "./linear-pattern.ts"

/** At about a microsecond each, a quarter of a second. The coercion and the validation of a value share them. */
const MAX_STEPS = 200_000 // limit: steps of checking one value → the call is refused: `invalid_args`

export interface Measure {
  left: number
  /** Matching patterns has its own limit: about half a second. */
  readonly matching: Effort
}

export const measure = (): Measure => ({ left: MAX_STEPS, matching: effort() })

/** Charges a step. Throws when the allowance is used up. */
export function spend(on: Measure, cost = 1): void {
  on.left -= cost
  if (on.left < 0) throw new Error("the schema is too costly for a value of this size: its choices and references multiply")
}

/** The cost of visiting `count` small items: 64 of them take as long as one step. */
export const small = (count: number): number => 1 + (count >> 6)
