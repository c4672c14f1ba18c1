// `sluice verify`: whether a receipt holds [K42]. With --keys it asks nobody.

import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import type { Sluice } from "../../src/client/sluice.ts"
import { verify } from "../../src/engine/receipt/verify.ts"
import { VERSION } from "../../src/engine/version.ts"
import { Breath } from "../../src/ports/breath.ts"
import { CHECKS, type PublicKey } from "../../src/ports/tenant/receipts.ts"
import { Trouble } from "../../local/trouble.ts"

export async function verifyFile(
  client: () => Promise<Sluice>,
  path: string,
  keyFile: string | undefined,
): Promise<{
  readonly valid: boolean
  readonly line: number | undefined
  readonly failed: readonly string[]
  readonly says: readonly string[]
}> {
  const receipt = await bytesOf(path)
  const keys = keyFile === undefined ? await (await client()).receipts.keys() : keysIn(keyFile, await bytesOf(keyFile))
  const hash = (text: string): string => createHash("sha256").update(text).digest("hex")
  const { valid, line, checks } = await verify(receipt, { keys, hash, build: VERSION, breath: new Breath() })
  const failed = CHECKS.filter((name) => !checks[name])
  const but = failed.length === 0 ? "" : `, but another build made it, and this one (${VERSION}) would decide differently`
  const says = valid ? [`valid${but}`] : [`not valid: line ${line ?? 1}`, `    does not hold: ${failed.join(", ")}`]
  return { valid, line: line ?? undefined, failed, says }
}

async function bytesOf(path: string): Promise<Uint8Array> {
  try {
    return new Uint8Array(await readFile(path))
  } catch {
    throw new Trouble(`${path} cannot be read`, 2)
  }
}

/** As `/.well-known/sluice-keys.json` has them. */
function keysIn(path: string, bytes: Uint8Array): readonly PublicKey[] {
  try {
    const { keys }: { keys?: unknown } = JSON.parse(new TextDecoder().decode(bytes))
    if (Array.isArray(keys)) return keys as PublicKey[]
  } catch {
    // Not JSON.
  }
  throw new Trouble(`${path} is no key set: save ${"`"}/.well-known/sluice-keys.json${"`"} of the instance`, 2)
}
