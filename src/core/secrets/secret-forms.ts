// Lists the forms in which a secret may appear in a response [T32]: unchanged, escaped for JSON and HTML, percent- and form-encoded, base64
// and base64url at each of the three offsets, and hex. secret-scan.ts finds them in any case, in mixed escapes, where only some characters
// are encoded, and in broken lines.

import { hexByte } from "../text/hex.ts"

/** Shorter values occur in ordinary text, so the vault does not accept them. */
export const SHORTEST_SECRET = 8 // limit: characters of a secret, at least → 422 at the value

/** Characters left unencoded besides letters and digits, by encoder: URI component, RFC 3986, whole URI, form. */
const COMPONENT = "-_.!~*'()"
const STRICT = "-_.~"
const URI = `${COMPONENT};/?:@&=+$,#`
const FORM = "-_.*"

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

/** All forms; none for a value that is too short. Spaces at the ends do not count, because headers and files can lose or gain them. */
export function formsOf(value: string): string[] {
  const secret = value.trim()
  if (secret.length < SHORTEST_SECRET) return []
  const bytes = utf8(secret)
  const forms = new Set([secret, JSON.stringify(secret).slice(1, -1), secret.replaceAll(" ", "+"), ...htmlForms(secret)])
  for (const hex of [hexByte, upperHex]) {
    for (const kept of [COMPONENT, STRICT, URI, FORM]) forms.add(percent(bytes, kept, hex))
    forms.add(percent(bytes, FORM, hex).replaceAll("%20", "+"))
    forms.add(bytes.map(hex).join(""))
  }
  for (const offset of [0, 1, 2]) {
    const inner = base64(bytes, offset)
    forms.add(inner)
    forms.add(inner.replaceAll("+", "-").replaceAll("/", "_"))
  }
  return [...forms]
}

/** The forms in HTML text and attributes, with the entities that libraries use for quotes. */
function htmlForms(text: string): string[] {
  const inText = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
  return ["&quot;", "&#34;"].flatMap((double) => {
    const quoted = inText.replaceAll('"', double)
    return [inText, quoted, ...["&#39;", "&#x27;", "&#039;", "&apos;"].map((single) => quoted.replaceAll("'", single))]
  })
}

const upperHex = (byte: number): string => hexByte(byte).toUpperCase()

const isAlnum = (byte: number): boolean =>
  (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a)

function percent(bytes: readonly number[], kept: string, hex: (byte: number) => string): string {
  return bytes
    .map((byte) => {
      const char = String.fromCharCode(byte)
      return isAlnum(byte) || (byte < 0x80 && kept.includes(char)) ? char : `%${hex(byte)}`
    })
    .join("")
}

/** The base64 characters that depend only on the secret, when `offset` bytes come before it. */
function base64(bytes: readonly number[], offset: number): string {
  const all = [...Array<number>(offset).fill(0), ...bytes]
  let text = ""
  for (let bit = Math.ceil((offset * 8) / 6) * 6; bit + 6 <= all.length * 8; bit += 6) {
    const at = bit >> 3
    const pair = ((all[at] ?? 0) << 8) | (all[at + 1] ?? 0)
    text += BASE64.charAt((pair >> (10 - (bit & 7))) & 63)
  }
  return text
}

/** Written by hand because core has no TextEncoder. As in TextEncoder, a lone surrogate becomes the replacement character. */
function utf8(text: string): number[] {
  const bytes: number[] = []
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0
    const point = code >= 0xd800 && code <= 0xdfff ? 0xfffd : code
    if (point < 0x80) bytes.push(point)
    else if (point < 0x800) bytes.push(0xc0 | (point >> 6), 0x80 | (point & 63))
    else if (point < 0x10000) bytes.push(0xe0 | (point >> 12), 0x80 | ((point >> 6) & 63), 0x80 | (point & 63))
    else bytes.push(0xf0 | (point >> 18), 0x80 | ((point >> 12) & 63), 0x80 | ((point >> 6) & 63), 0x80 | (point & 63))
  }
  return bytes
}
