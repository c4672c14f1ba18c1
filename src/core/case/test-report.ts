// Reports the results of a flow's tests [K21].

export interface CaseFailure {
  /** JSON Pointer into the case's `expect`, or `/answers`, `/inputs`, `/task`. */
  readonly at: string
  readonly expected: unknown
  readonly found: unknown
}

export interface CaseResult {
  readonly name: string
  readonly passed: boolean
  readonly run: string | null
  readonly ms: number
  readonly failures: readonly CaseFailure[]
}

export interface TestReport {
  readonly flow: string
  readonly passed: number
  readonly failed: number
  readonly cases: readonly CaseResult[]
}
