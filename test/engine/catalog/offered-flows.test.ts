// Which flows a tenant's lists offer.

import { describe, expect, test } from "vitest"
import { offeredFlows } from "../../../src/engine/catalog/offered-flows.ts"

const row = (id: string, tier: string, severity?: "error" | "warning") => ({
  id,
  tier,
  diagnostics: severity === undefined ? [] : [{ code: "FV-NAME" as const, line: 1, severity, message: "m" }],
})
const ids = (...rows: ReturnType<typeof row>[]): string[] => offeredFlows(rows).map(({ id }) => id)

describe("flows that are offered", () => {
  test("[F70, P26] built-in ones are examples: only for a tenant without a flow of its own or of a package", () => {
    expect(ids(row("triage", "built-in"))).toEqual(["triage"])
    expect(ids(row("triage", "built-in"), row("mine", "local"))).toEqual(["mine"])
    expect(ids(row("triage", "built-in"), row("theirs", "package"))).toEqual(["theirs"])
  })
  test("[P26] a flow with an error is none, and still the tenant's own", () => {
    expect(ids(row("triage", "built-in"), row("mine", "local", "error"))).toEqual([])
    expect(ids(row("mine", "local", "warning"))).toEqual(["mine"])
  })
})
