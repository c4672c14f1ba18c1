// Converts between the text that the shell's commands exchange and bytes, by the encoding that they name.

import type { BufferEncoding, FileContent } from "just-bash/browser"
import { toHex } from "../../core/text/hex.ts"

export function bytesOf(content: FileContent, encoding?: BufferEncoding | null): Uint8Array {
  if (typeof content !== "string") return content.slice()
  switch (encoding) {
    case "binary":
    case "latin1":
    case "ascii":
      return fromLatin1(content)
    case "base64":
      return fromLatin1(atob(content))
    case "hex":
      return Uint8Array.from(content.match(/[0-9a-fA-F]{2}/g) ?? [], (pair) => Number.parseInt(pair, 16))
    default:
      return new TextEncoder().encode(content)
  }
}

export function textOf(bytes: Uint8Array, encoding?: BufferEncoding | null): string {
  switch (encoding) {
    case "binary":
    case "latin1":
    case "ascii":
      return toLatin1(bytes)
    case "base64":
      return btoa(toLatin1(bytes))
    case "hex":
      return toHex(bytes)
    default:
      return new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(bytes)
  }
}

export const fromLatin1 = (text: string): Uint8Array => Uint8Array.from(text, (char) => char.charCodeAt(0) & 0xff)

/** Decodes bytes as Latin-1, in pieces because a call has a limited number of arguments. */
export function toLatin1(bytes: Uint8Array): string {
  let text = ""
  for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192))
  return text
}
