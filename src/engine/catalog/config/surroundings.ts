// Checks what a configuration file needs of its tenant [F79]: a scope of the vault, a model that a provider sells, an address that may be
// called, a name that is free.
//
// A scope or a provider may come after the file, as on a tenant that is set up from a folder, so their absence is a warning.

import { pointerStep } from "../../../core/text/pointer.ts"
import { nearest } from "../../../core/text/nearest.ts"
import { isTaken } from "../../../core/tool/tool-name.ts"
import { resolveModel, type ModelSettings } from "../pin/model-choice.ts"
import type { ConfigFault } from "./config-fault.ts"
import type { ConfigValue } from "./config-value.ts"
import { namesIn, neededBy } from "./tool-file.ts"

/** Absent members are unknown, as for a folder that is judged offline. */
export interface Surroundings {
  /** Scopes of the tenant's vault. */
  readonly scopes?: () => readonly string[]
  readonly models?: () => ModelSettings
  /** Why the address may not be called, as the end of a sentence. */
  readonly refused?: (url: string, by: "callback" | "tool") => string | undefined
  /** Whether the text has a value of the vault in it. */
  readonly leaks?: (text: string) => Promise<boolean>
}

/** `house`: names of built-in tools, present or not. */
export async function surroundingFaults(
  config: ConfigValue,
  around: Surroundings,
  house: readonly string[],
): Promise<readonly ConfigFault[]> {
  switch (config.kind) {
    case "hook":
      return scopeFaults(config.value.secret, "/secret", around)
    case "callback": {
      const { url, secret } = config.value
      return [
        ...addressFaults([{ pointer: "/url", url }], "callback", around),
        ...((await around.leaks?.(url)) === true ? [LEAK] : []),
        ...(secret === "" ? [] : scopeFaults(secret, "/secret", around)),
      ]
    }
    case "tool": {
      const { scope, urls } = neededBy(config.value)
      const taken = namesIn(config.value).filter((name) => isTaken(name, house))
      return [
        ...taken.map((name): ConfigFault => ({
          code: "PV-TOOL",
          pointer: config.value.type === "openapi" ? "/openapi" : "",
          message: `makes the tool "${name}", and this name belongs to a built-in tool or is reserved`,
          suggestion: config.value.type === "openapi" ? "`prefix` puts a word before each name" : "another name of the file",
        })),
        ...addressFaults(urls, "tool", around),
        ...(scope === undefined ? [] : scopeFaults(scope, "/auth/scope", around)),
      ]
    }
    case "roles":
      return modelFaults(config.value, around)
    case "schedule":
    case "budget":
    // ConfigFit knows the names that a policy and a gate may use.
    case "policy":
    case "gate":
      return []
  }
}

const LEAK: ConfigFault = {
  code: "PV-SECRET",
  pointer: "/url",
  message: "contains a secret of the vault: the receiver recognizes the sender by the signature",
}

function scopeFaults(scope: string, pointer: string, { scopes }: Surroundings): readonly ConfigFault[] {
  const known = scopes?.()
  if (known === undefined || known.includes(scope)) return []
  const near = nearest(scope, known)
  const write = `write it with PUT /v1/secrets/${scope}`
  return [
    {
      code: "PV-SCOPE",
      isWarning: true,
      pointer,
      message: "is not a scope of the vault yet, and nothing works here until it is",
      suggestion: near === undefined ? write : `did you mean "${near}"? Otherwise ${write}`,
    },
  ]
}

function addressFaults(
  urls: readonly { readonly pointer: string; readonly url: string }[],
  by: "callback" | "tool",
  { refused }: Surroundings,
): readonly ConfigFault[] {
  return urls.flatMap(({ pointer, url }): ConfigFault[] => {
    const why = refused?.(url, by)
    return why === undefined ? [] : [{ code: "PV-VALUE", pointer, message: `has an address that is refused: ${why}` }]
  })
}

/** As PUT /v1/settings/roles judges them. */
function modelFaults(roles: Extract<ConfigValue, { kind: "roles" }>["value"], { models }: Surroundings): readonly ConfigFault[] {
  const known = models?.()
  if (known === undefined) return []
  return Object.entries(roles).flatMap(([role, given]) =>
    (typeof given === "string" ? [given] : given).flatMap((model, i): ConfigFault[] => {
      const found = resolveModel(model, undefined, { ...known, roles: {} })
      const pointer = `${pointerStep(role)}${typeof given === "string" ? "" : `/${i}`}`
      return found.ok ? [] : [{ code: "PV-MODEL", isWarning: true, pointer, message: `finds no model: ${found.error}` }]
    }),
  )
}
