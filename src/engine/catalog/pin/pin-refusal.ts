// Explains why a start is refused, as `pin` reports it: which step, which agent, which file.

import { defined } from "../../../core/defined.ts"
import type { Diagnostic } from "../../../core/diagnostic.ts"
import type { PinResult } from "../../../ports/tenant/catalog.ts"
import type { CatalogView } from "../catalog-view.ts"

export type NotFound = Extract<PinResult, { code: "not_found" }>
export type Refused = Extract<PinResult, { code: "invalid_flow" | "unknown_agent" | "no_model" | "unsupported" }>

export function unknownAgent(view: CatalogView, name: string, step: string | undefined, diagnostics: readonly Diagnostic[]): Refused {
  const names = view.entries.flatMap((e) => (e.kind === "agent" ? [e.id] : []))
  const known = names.length > 0 && names.length <= 12 ? ` (agents: ${names.join(", ")})` : ""
  const where = step === undefined ? "" : `step "${step}": `
  return { ok: false, code: "unknown_agent", message: `${where}there is no agent "${name}"${known}`, ...defined({ step }), diagnostics }
}

export function notLoading(what: string, loaded: { readonly diagnostics: readonly Diagnostic[] }, step?: string): Refused {
  const first = loaded.diagnostics.find((d) => d.severity === "error")
  const where = step === undefined ? "" : `step "${step}": `
  const why = first ? `line ${first.line}: ${first.message}` : "it is missing"
  return {
    ok: false,
    code: "invalid_flow",
    message: `${where}${what} does not load: ${why}`,
    ...defined({ step }),
    diagnostics: loaded.diagnostics,
  }
}
