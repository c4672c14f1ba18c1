// Faults that are a condition of the server and not a bug of it: the operator can mend them, so the answer says what they are.

import { isDiskFull } from "../../engine/disk-full.ts"
import type { Refusal } from "./problem.ts"

export function conditionOf(error: Error): Refusal | undefined {
  if (isDiskFull(error))
    return {
      code: "disk_full",
      detail: "The disk of the server is full, so nothing was written. Free some room there, then send the request again.",
      headers: { "retry-after": "30" },
    }
  // RPC keeps the name of an error, not its class.
  if (error.name === "VaultChangedError")
    return {
      code: "vault_changed",
      detail: `${capital(error.message)}. If the VAULT_KEY of the instance was changed, the old one opens everything again.`,
    }
  return undefined
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
