// Encodes bytes as base64url without padding [RFC 4648 §5]: for ids, tokens and cursors in URLs.

export const toBase64 = (bytes: Uint8Array): string => {
  let binary = ""
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}

export const toBase64url = (bytes: Uint8Array): string => toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")

/** Decodes a text; undefined: it does not have the form that `toBase64url` writes. Each value has a single form, so no two tokens mean the same. */
export function fromBase64url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) return undefined
  const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0))
  return toBase64url(bytes) === text ? bytes : undefined
}
