// Reads `.dev.vars` of a project for its local server: what a developer would have to export by hand, such as ALLOWED_PRIVATE_HOSTS.

import { readFile } from "node:fs/promises"
import path from "node:path"
import { parseEnv } from "node:util"

type Env = Readonly<Record<string, string | undefined>>

/** Of the deployed Worker: the local server has keys of its own, and what its vault has sealed stays readable. */
const DEPLOYED: ReadonlySet<string> = new Set(["ADMIN_KEY", "VAULT_KEY", "ENVIRONMENT", "SLUICE_ENVIRONMENT"])

/** The environment, which comes first, with the file's variables. */
export async function withDevVars(folder: string, env: Env): Promise<Env> {
  const file = await readFile(path.join(folder, ".dev.vars"), "utf8").catch(() => "")
  const vars = Object.entries(parseEnv(file)).filter(([name, value]) => value !== "" && !DEPLOYED.has(name))
  return { ...Object.fromEntries(vars), ...env }
}
