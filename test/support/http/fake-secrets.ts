// A vault in memory, for the door's tests. It keeps what it is told; `full` makes it refuse.

import { Redactor } from "../../../src/core/secrets/redact.ts"
import { scopedSecrets } from "../../../src/engine/run/tool-secrets.ts"
import type { SecretsPort } from "../../../src/ports/secrets.ts"
import type { ToolSpec } from "../../../src/core/tool/tool-spec.ts"

export class FakeSecrets implements SecretsPort {
  readonly kept = new Map<string, readonly string[]>()
  full = false
  fault: Error | undefined

  async list() {
    return [...this.kept].map(([scope, values]) => ({ scope, values: values.length, updated: 1_000 }))
  }
  async put(scope: string, values: readonly string[]) {
    if (this.fault) throw this.fault
    if (this.full) return "full" as const
    this.kept.set(scope, values)
    return "ok" as const
  }
  async remove(scope: string) {
    return this.kept.delete(scope)
  }
  async redactor() {
    return new Redactor(this.kept)
  }
  of(tool: ToolSpec) {
    return scopedSecrets(tool, async () => this.kept)
  }
}
