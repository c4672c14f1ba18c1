// Defines the file `flows/NAME.test.yaml` [K20]: cases that run the flow with recorded or written replies, and their expected results.

import type { JsonObject } from "../json.ts"
import type { GivenFiles } from "../run/given-file.ts"
import type { RehearsedTurn } from "./rehearsal.ts"

export interface TestFile {
  readonly cases: readonly TestCase[]
}

export interface TestCase {
  readonly name: string
  readonly task?: string
  readonly inputs?: JsonObject
  /** The trigger's data, for `${{trigger.…}}`. */
  readonly trigger?: JsonObject
  readonly autonomous?: boolean
  /** Files that the run is given, as a start has them. */
  readonly files?: GivenFiles
  /** By step, `FLOW/STEP` for a child's step, or `PARENT[INDEX]/STEP` for the step of one child (place.ts). */
  readonly rehearsal: ReadonlyMap<string, readonly RehearsedTurn[]>
  readonly answers: readonly CaseAnswer[]
  readonly expect: Expectation
}

/** The body of an answer. `step`: answers only a question of this step; without it, the next question that no other answer fits. */
export interface CaseAnswer {
  readonly step?: string
  readonly body: JsonObject
}

/** The expectation as written: values, or matchers instead of values. matcher.ts defines them. */
export type Expectation = JsonObject
