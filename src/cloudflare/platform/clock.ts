// Implements ports/clock.ts with the platform's clock and random numbers.

import type { Clock } from "../../ports/clock.ts"

const ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz"
const ID_LENGTH = 26

export const clock: Clock = {
  now: () => Date.now(),
  random: () => Math.random(),
  id: () => letters(crypto.getRandomValues(new Uint8Array(32))),
}

/** The id derived from (scope, key), always the same for the same pair. Neither contains a NUL, so different pairs hash different texts. */
export async function derivedId(scope: string, key: string): Promise<string> {
  return letters(new Uint8Array(await crypto.subtle.digest("SHA-512", new TextEncoder().encode(`${scope}\0${key}`))))
}

/** 26 characters out of 36. Bytes of 252 or more would favor the first letters, so they are skipped; digests are long enough for that. */
export function letters(bytes: Uint8Array): string {
  let id = ""
  for (const b of bytes) if (b < 252 && id.length < ID_LENGTH) id += ALPHABET[b % 36]
  return id.padEnd(ID_LENGTH, "0")
}
