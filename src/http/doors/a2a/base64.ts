// Bytes as base64, piece by piece: one call cannot take a large file's bytes as arguments.

const PIECE = 8_190

export function toBase64(bytes: Uint8Array): string {
  let text = ""
  for (let at = 0; at < bytes.length; at += PIECE) text += btoa(String.fromCharCode(...bytes.subarray(at, at + PIECE)))
  return text
}
