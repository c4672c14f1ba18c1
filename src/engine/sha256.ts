// Computes SHA-256 as lowercase hex: the name of every immutable body.

import { toHex } from "../core/text/hex.ts"

const encoder = new TextEncoder()

export async function sha256(body: Uint8Array | string): Promise<string> {
  const bytes = typeof body === "string" ? encoder.encode(body) : body
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))
  return toHex(digest)
}

export const isHash = (text: string): boolean => /^[0-9a-f]{64}$/.test(text)
