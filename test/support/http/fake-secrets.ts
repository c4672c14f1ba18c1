// A vault in memory, for the HTTP tests. `full` makes it refuse new values.

import { Redactor } from "../../../src/core/secrets/redact.ts"
import { scopedSecrets } from "../../../src/engine/run/call/tool-secrets.ts"
import type { SecretsPort } from "../../../src/ports/secrets.ts"
import type { ToolSpec } from "../../../src/core/tool/tool-spec.ts"

export class FakeSecrets implements SecretsPort {
  readonly stored = new Map<string, readonly string[]>()
  full = false
  fault: Error | undefined

  async list() {
    return [...this.stored].map(([scope, values]) => ({ scope, values: values.length, updated: 1_000 }))
  }
  async put(scope: string, values: readonly string[]) {
    if (this.fault) throw this.fault
    if (this.full) return "full" as const
    this.stored.set(scope, values)
    return "ok" as const
  }
  async remove(scope: string) {
    return this.stored.delete(scope)
  }
  async redactor() {
    return new Redactor(this.stored)
  }
  of(tool: ToolSpec) {
    return scopedSecrets(tool, async () => this.stored)
  }
}
