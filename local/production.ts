// Serves with one's own keys alone [N5], for `sluice serve --production` and `npm run serve` outside the environment `local`. Before anything
// runs, the data folder is looked at: who can read it, and whether the VAULT_KEY is the one that sealed what is in it.

import { readFile, stat, writeFile } from "node:fs/promises"
import path from "node:path"
import { z } from "zod"
import { startServer, type Server } from "./server.ts"
import type { Settings } from "./settings.ts"
import { Trouble } from "./trouble.ts"
import { isMarkOf, markOf, VAULT_MARK } from "./vault-mark.ts"

const Readiness = z.object({ checks: z.object({ vault: z.boolean().optional() }) })

export interface Production {
  /** The Worker's bundle, if it is not the shipped one. */
  readonly worker?: string
  /** The key that sealed what is there is lost: serve all the same. */
  readonly newVaultKey?: boolean
}

export async function startProduction(settings: Settings, { worker, newVaultKey = false }: Production = {}): Promise<Server> {
  const { data, bindings } = settings
  const key = bindings["VAULT_KEY"] ?? ""
  await refuseOpenFolder(data)
  const mark = await readFile(path.join(data, VAULT_MARK), "utf8").catch(() => undefined)
  if (mark !== undefined && !newVaultKey && !isMarkOf(mark, key)) throw otherKey(data)
  const server = await startServer(settings, worker)
  try {
    // A folder that was served before there were marks, or under a name of `local`.
    if (mark === undefined && !newVaultKey && !(await vaultHolds(server.url))) throw otherKey(data)
    // On a full disk the next start writes it.
    if (mark === undefined || newVaultKey)
      await writeFile(path.join(server.data, VAULT_MARK), markOf(key), { mode: 0o600 }).catch(() => undefined)
    return server
  } catch (error) {
    await server.close()
    throw error
  }
}

const otherKey = (data: string): Trouble =>
  new Trouble(
    `the data folder ${data} was sealed under another VAULT_KEY, so no secret, no provider's key and no link in it would work: serve it with that ` +
      `VAULT_KEY; if it is lost, start once with --new-vault-key (or NEW_VAULT_KEY=1), then store every secret and provider's key again`,
    2,
  )

async function vaultHolds(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(10_000) })
  const told = Readiness.safeParse(await answer.json())
  return !told.success || told.data.checks.vault !== false
}

/** The folder holds what tenants store; whoever reads it reads all of that but the sealed secrets. */
async function refuseOpenFolder(data: string): Promise<void> {
  if (process.platform === "win32") return
  const mode = await stat(data).then(
    (found) => found.mode,
    () => 0,
  )
  if ((mode & 0o077) !== 0)
    throw new Trouble(`others on this machine can read the data folder ${data}, where everything of every tenant is: chmod 700 ${data}`, 2)
}
