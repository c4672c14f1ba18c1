// Computes the digest of a call and its content [G9], for detecting repetition. Long texts are hashed in pieces [N4], and enter the digest
// by their hashes.

import { canonical, isObject } from "../../../core/json.ts"
import { Breath } from "../../../ports/breath.ts"

/** Characters that are hashed at one go. */
const PIECE = 256 * 1024
/** Writing a character as JSON and hashing it takes as long as searching a few. */
const HASHED = 4

type Hash = (text: string) => Promise<string>

export async function digestOf(what: readonly unknown[], hash: Hash): Promise<string> {
  const breath = new Breath()
  const short: unknown[] = []
  for (const one of what) short.push(await shortened(one, hash, breath))
  return hash(canonical(short))
}

async function shortened(value: unknown, hash: Hash, breath: Breath): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map((item) => shortened(item, hash, breath)))
  if (!isObject(value)) return value
  const { text } = value
  if (typeof text !== "string" || text.length <= PIECE) return value
  const hashes: string[] = []
  for (let at = 0; at < text.length; at += PIECE) {
    await breath.take(PIECE * HASHED)
    hashes.push(await hash(text.slice(at, at + PIECE)))
  }
  return { ...value, text: hashes }
}
