// The platform's clock and dice [ports/clock.ts].

import type { Clock } from "../ports/clock.ts"

const ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz"
const ID_LENGTH = 26

export const clock: Clock = {
  now: () => Date.now(),
  random: () => Math.random(),
  id: () => letters(crypto.getRandomValues(new Uint8Array(32))),
}

/** 26 characters of 36: bytes from 252 on would favour the first letters, so they are skipped; digests are long enough for that. */
export function letters(bytes: Uint8Array): string {
  let id = ""
  for (const b of bytes) if (b < 252 && id.length < ID_LENGTH) id += ALPHABET[b % 36]
  return id.padEnd(ID_LENGTH, "0")
}
