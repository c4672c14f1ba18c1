// The tenant's policy of tools and approvals, and its gate, as documents.

import { lazy, Suspense } from "react"
import { settingsOver } from "../../../src/client/settings.ts"
import type { JsonObject } from "../../../src/core/json.ts"
import type { SettingValue } from "../../../src/api/settings.ts"
import { DocumentSection } from "./document-section.tsx"
import type { SectionProps } from "./section-props.ts"

/** It judges as the guard does, with rules that no other page needs. */
const PolicyCheck = lazy(async () => ({ default: (await import("./policy-check.tsx")).PolicyCheck }))

const POLICY = `{
  "tools": { "profile": "coding", "deny": ["shell.*"] },
  "approvals": { "tools": { "kind": "dynamic", "value": "args.amount > 100" } },
  "denylist": [{ "tool": "http.request", "args": "internal", "reason": "Nothing inside is called." }],
  "effects": [{ "flows": "billing:*", "mode": "staged" }]
}`
const GATE = `{
  "flows": [{ "match": "billing:*", "tests": true, "backtest": { "last": 10, "allow": ["prompt"] } }]
}`

export function PolicySection({ api }: SectionProps) {
  const { policy } = settingsOver(api.transport)
  return (
    <DocumentSection
      title="Policy"
      about="Which tools agents may use, when a person is asked, and what runs may do outside. A run that is under way follows the new policy at its next call."
      example={POLICY}
      setting={{ get: () => policy.get(), put: (value) => policy.put(value as JsonObject) }}
      preview={(draft, saved) =>
        api.who.scopes.includes("runs:read") && (
          <Suspense fallback={null}>
            <PolicyCheck api={api} draft={draft} saved={saved} />
          </Suspense>
        )
      }
    />
  )
}

export function GateSection({ api }: SectionProps) {
  const { gate } = settingsOver(api.transport)
  return (
    <DocumentSection
      title="Gate"
      about="Flows that no write of the catalog may break: their tests pass, and recorded runs go on as they did."
      example={GATE}
      setting={{ get: () => gate.get(), put: (value) => gate.put(value as SettingValue<"gate">) }}
    />
  )
}
