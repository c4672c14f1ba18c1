// The power `secrets` of one tool [T32]: the newest value of a scope that the tool declares, and of no other scope.

import type { ToolSpec } from "../../core/tool/tool-spec.ts"
import type { Secrets } from "../../ports/secrets.ts"
import type { ToolPowers } from "../../ports/tool.ts"

/** `fresh`: a scope that is not among those that are kept may have been put a moment ago. */
export type OpenSecrets = (fresh: boolean) => Promise<Secrets>

/** Undefined for a tool that declares no scope: it does not know that there is a vault. */
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

/** `know` is done before a value is handed over: whoever looks through the answer must know what was in the question. */
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
