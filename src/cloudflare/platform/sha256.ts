// Computes SHA-256 as lowercase hex synchronously, because nothing may be awaited between a signal and its commit [J15].

import { createHash } from "node:crypto"

const encoder = new TextEncoder()
/** An event's text is encoded here: a buffer made for each would be a sixth of the cost of its hash. */
const room = new Uint8Array(8_192)

export function sha256(text: string): string {
  // A UTF-16 unit has at most three bytes in UTF-8.
  const bytes = text.length * 3 > room.length ? text : room.subarray(0, encoder.encodeInto(text, room).written)
  return createHash("sha256").update(bytes).digest("hex")
}
