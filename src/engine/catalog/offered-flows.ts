// Chooses the flows that clients are offered in lists: the tenant's own and those of its packages, without an error. The built-in ones are
// examples: only a tenant that has no flow yet is offered them. By their names they can be started always.

import { hasErrors, type Diagnostic } from "../../core/diagnostic.ts"

interface FlowRow {
  readonly tier: string
  readonly diagnostics: readonly Diagnostic[]
}

export function offeredFlows<T extends FlowRow>(rows: readonly T[]): readonly T[] {
  const own = rows.filter(({ tier }) => tier !== "built-in")
  return (own.length > 0 ? own : rows).filter(({ diagnostics }) => !hasErrors(diagnostics))
}
