// Verifies a receipt [K42] with only hashes, the instance's public keys and this build's kernel. The same code answers POST
// /v1/receipts/verify and `sluice verify`, which needs no server. It never throws for any input.

import { fromBase64url } from "../../core/text/base64url.ts"
import type { Breath } from "../../ports/breath.ts"
import { CHECKS, type Check, type Footer, type PublicKey, type Verified } from "../../ports/tenant/receipts.ts"
import { sealText } from "./receipt.ts"
import { readLines, type Lines } from "./receipt-lines.ts"
import { replayReceipt } from "./replay-receipt.ts"

export interface Verifying {
  /** The keys of the instance that made the receipt. */
  readonly keys: readonly PublicKey[]
  /** SHA-256 in hexadecimal. */
  readonly hash: (text: string) => string
  /** The version of this build. */
  readonly build: string
  readonly breath: Breath
}

/** The line of each check that fails. */
type Faults = { readonly [Name in Check]?: number }

export async function verify(bytes: Uint8Array, how: Verifying): Promise<Verified> {
  const lines = await how.breath.through(readLines(bytes, how.hash))
  if ("line" in lines) return { valid: false, line: lines.line, checks: all(false) }
  const isSigned = await signed(lines.footer, how.keys)
  const order: Faults = { ...counted(lines, isSigned), ...linked(lines, isSigned) }
  const found: Faults = {
    ...(isSigned ? {} : { signature: lines.events.length + 2 }),
    ...order,
    // Events that are not as they were do not say what the first line must be.
    ...(Object.keys(order).length === 0 ? told(lines) : {}),
    ...definedIn(lines, how.hash, Object.keys(order).length === 0),
  }
  // The kernel judges only what the instance has signed: others can write journals that take it long.
  const isWhole = Object.keys(found).length === 0
  const replay = isWhole ? await replayReceipt(bytes, lines, how) : Math.min(...Object.values(found))
  const faults: Faults = replay === undefined ? found : { ...found, replay }
  // Another build may decide differently: that is no fault of the receipt.
  const counts = isWhole && lines.header.value.build !== how.build ? [] : Object.values(faults)
  return {
    valid: counts.length === 0,
    ...(counts.length === 0 ? {} : { line: Math.min(...counts) }),
    checks: { ...all(true), ...Object.fromEntries(Object.keys(faults).map((name) => [name, false])) },
  }
}

const all = (holds: boolean): Record<Check, boolean> => Object.fromEntries(CHECKS.map((name) => [name, holds])) as Record<Check, boolean>

/** Is the last line from the instance? */
async function signed(footer: Footer, keys: readonly PublicKey[]): Promise<boolean> {
  const key = keys.find(({ kid }) => kid === footer.key)
  const [x, signature] = [fromBase64url(key?.x ?? ""), fromBase64url(footer.signature)]
  if (!key || x?.length !== 32 || signature?.length !== 64) return false
  try {
    const opened = await crypto.subtle.importKey("raw", x, ED25519, false, ["verify"])
    return await crypto.subtle.verify(ED25519, opened, signature, new TextEncoder().encode(sealText(footer, footer.key)))
  } catch {
    return false
  }
}
const ED25519 = { name: "Ed25519" } as const

/** Are all events there, in order, and are they those of which the first line and the last one speak? Of two lines that differ, the signed
 *  one is right. */
function counted({ header, events, footer }: Lines, isSigned: boolean): Faults {
  const odd = events.findIndex(({ seq }, i) => seq !== i + 1)
  if (odd >= 0) return { sequence: odd + 2 }
  const end = events.length + 2
  if (footer.events !== events.length) return { sequence: end }
  if (footer.at !== (events.at(-1)?.at ?? 0)) return { sequence: isSigned ? Math.max(2, end - 1) : end }
  return header.value.events === events.length ? {} : { sequence: 1 }
}

/** Does the first line say of the run what the events say? */
function told({ header, told: of }: Lines): Faults {
  const { run, status, children } = header.value
  const isSo = run === of.run && status === of.status && JSON.stringify(children) === JSON.stringify(of.children)
  return isSo ? {} : { sequence: 1 }
}

/** Does each line name the one before it? */
function linked({ header, events, footer }: Lines, isSigned: boolean): Faults {
  const end = events.length + 2
  if (footer.header !== header.hash) return { chain: isSigned ? 1 : end }
  const named = (i: number): string | undefined => (i < events.length ? events[i]?.prev : footer.head)
  const odd = Array.from({ length: events.length + 1 }, (_, i) => i).find((i) => named(i) !== (events[i - 1]?.hash ?? "0".repeat(64)))
  if (odd === undefined) return {}
  if (odd === events.length) return { chain: isSigned && footer.events === events.length ? Math.max(2, end - 1) : end }
  // It is in its place, and the next line says that it is as it was: the line before it was changed.
  const isRight = events[odd]?.seq === odd + 1 && events[odd]?.hash === named(odd + 1)
  return { chain: isRight && odd > 0 ? odd + 1 : odd + 2 }
}

/** Is the text of each definition the one that the run was started with? */
function definedIn({ header, events, told: of }: Lines, hash: (text: string) => string, inOrder: boolean): Faults {
  const { definitions } = header.value
  if (definitions.some((d) => hash(d.text) !== d.hash)) return { definitions: 1 }
  // A run that could not start has none of them.
  if (events.length === 2 || !inOrder) return {}
  try {
    const pinned = of.paths.map((d) => [d.path, d.hash])
    return JSON.stringify(pinned) === JSON.stringify(definitions.map((d) => [d.path, d.hash])) ? {} : { definitions: 1 }
  } catch {
    // The pins are not in the form of this build.
    return { definitions: 1 }
  }
}
