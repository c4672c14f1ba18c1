// ADMIN_KEY and VAULT_KEY of a deployment: made once, on disk before the first deploy, for the owner's eyes alone. A deploy that fails and is
// repeated uses the same ones, because a new VAULT_KEY opens nothing that the old one has sealed.

import { randomBytes } from "node:crypto"
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import { z } from "zod"
import { Trouble } from "../../local/trouble.ts"
import { DATA } from "../project/project.ts"

export const NAMES = ["ADMIN_KEY", "VAULT_KEY"] as const
const Kept = z.partialRecord(z.enum(NAMES), z.string().min(32))
export type DeploySecrets = z.output<typeof Kept>

/** `worker`: the environment of wrangler.toml, which is a Worker of its own. */
export const secretsFile = (folder: string, worker?: string): string =>
  path.join(folder, DATA, `deploy-secrets${worker === undefined ? "" : `.${worker}`}.json`)

export async function readKept(file: string): Promise<DeploySecrets> {
  const text = await readFile(file, "utf8").catch(() => undefined)
  if (text === undefined) return {}
  try {
    return Kept.parse(JSON.parse(text))
  } catch {
    throw new Trouble(`${file} is damaged: restore it, or delete it if the Worker was never deployed`, 2)
  }
}

/** Adds the missing ones; what is there stays. */
export async function keep(file: string, missing: readonly (typeof NAMES)[number][]): Promise<DeploySecrets> {
  const before = await readKept(file)
  const made = Object.fromEntries(
    missing.filter((name) => before[name] === undefined).map((name) => [name, randomBytes(32).toString("base64")]),
  )
  const all = { ...before, ...made }
  if (Object.keys(made).length === 0) return all
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
  await writeFile(file, `${JSON.stringify(all, null, 2)}\n`, { mode: 0o600 })
  await chmod(file, 0o600)
  return all
}
