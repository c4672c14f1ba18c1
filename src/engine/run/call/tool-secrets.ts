// Provides the power `secrets` to a tool [T32]: the newest value of a scope that the tool declares, and of no other scope.

import type { ToolSpec } from "../../../core/tool/tool-spec.ts"
import type { Secrets } from "../../../ports/secrets.ts"
import type { ToolPowers } from "../../../ports/tool.ts"

/** `fresh`: skips the cache, because a missing scope may have just been added. */
export type OpenSecrets = (fresh: boolean) => Promise<Secrets>

/** undefined for a tool that declares no scope: such a tool does not see a vault. */
export function scopedSecrets(tool: ToolSpec, open: OpenSecrets): ToolPowers["secrets"] {
  const declared = tool.requiredSecretScopes ?? []
  if (declared.length === 0) return undefined
  return {
    async get(scope) {
      if (!declared.includes(scope)) return undefined
      return ((await open(false)).get(scope) ?? (await open(true)).get(scope))?.[0]
    },
  }
}

/** Calls `know` before it returns a value, so that the redactor of the answer already has that value. */
export function knownFirst(secrets: ToolPowers["secrets"], know: () => Promise<void>): Pick<ToolPowers, "secrets"> {
  if (!secrets) return {}
  return {
    secrets: {
      async get(scope) {
        const value = await secrets.get(scope)
        await know()
        return value
      },
    },
  }
}
