// Reads secrets from files, as Docker, systemd and Kubernetes hand them over: VAULT_KEY_FILE names the file that holds the VAULT_KEY. A
// variable is seen by whatever else the user runs, and stands in crash reports.

import { readFileSync } from "node:fs"
import { fileFault } from "./file-fault.ts"
import { Trouble } from "./trouble.ts"

type Variables = Readonly<Record<string, string | undefined>>

/** Variables that hold a secret. */
export const SECRETS = ["VAULT_KEY", "ADMIN_KEY", "OTLP_HEADERS", "ACCESS_KEYS"] as const

/** `env` with each secret that a file holds. */
export function withSecretFiles(env: Variables): Variables {
  const read = SECRETS.flatMap((name) => {
    const file = env[`${name}_FILE`]
    if (!file) return []
    if (env[name]) throw new Trouble(`${name} and ${name}_FILE are both set: set only one of them`, 2)
    return [[name, secretIn(file, `${name}_FILE, ${file},`)] as const]
  })
  return read.length === 0 ? env : { ...env, ...Object.fromEntries(read) }
}

/** Without the line's end that every editor and `openssl rand` add. */
function secretIn(file: string, named: string): string {
  try {
    return readFileSync(file, "utf8").replace(/\r?\n$/, "")
  } catch (error) {
    const fault = fileFault(error, named)
    throw fault === undefined ? error : new Trouble(fault, 2)
  }
}
