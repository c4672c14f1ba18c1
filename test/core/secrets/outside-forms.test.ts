// The forms of a secret that redaction does not find [T32], as docs/THREATS.md lists them. A form that is found one day leaves both lists.

import { describe, expect, test } from "vitest"
import { Redactor } from "../../../src/core/secrets/redact.ts"

const SECRET = "k3y/Unique=Sesame&7f<39b"
const WORDS = "open the Sesame now"
const redactor = new Redactor([
  ["x", [SECRET, WORDS, "straße-Öffner-1", "-----BEGIN KEY-----\nMIIBVQIBADANBgkqhkiG9w0B\n-----END KEY-----"]],
])
const isFound = (text: string): boolean => redactor.text(text) !== text

const bytesOf = (text: string): readonly number[] => [...Buffer.from(text)]
const hex = (text: string): string => Buffer.from(text).toString("hex")
const base64 = (text: string): string => Buffer.from(text).toString("base64")
const percent = (text: string): string =>
  bytesOf(text)
    .map((b) => `%${b.toString(16)}`)
    .join("")
const unicode = (text: string): string =>
  bytesOf(text)
    .map((b) => `\\u${b.toString(16).padStart(4, "0")}`)
    .join("")
const entities = (text: string): string =>
  bytesOf(text)
    .map((b) => `&#${b};`)
    .join("")

const CLOSED: Readonly<Record<string, readonly string[]>> = {
  "base64 and hex in any case": [base64(SECRET), base64(SECRET).toLowerCase(), hex(SECRET), hex(SECRET).toUpperCase()],
  "case changed before a percent sign": [percent(SECRET.toUpperCase())],
  "one escape inside another": [unicode(unicode(SECRET)), entities(percent(SECRET)), unicode(entities(SECRET)), percent(entities(SECRET))],
  "signs that are percent-encoded twice": [encodeURIComponent(encodeURIComponent(SECRET))],
  "wrapped lines": [base64(SECRET).replace(/(.{8})/g, "$1\r\n  "), hex(SECRET).replace(/(.{16})/g, "$1\n"), "open the \n    Sesame now"],
}
const OPEN: Readonly<Record<string, readonly string[]>> = {
  "case changed before base64 and hex": [base64(SECRET.toUpperCase()), hex(SECRET.toUpperCase())],
  "letters that are percent-encoded twice": [encodeURIComponent(percent(SECRET))],
  "entities in entities": [entities(entities(SECRET)), entities(SECRET).replaceAll("&", "&amp;")],
  "escapes three deep": [unicode(unicode(unicode(SECRET))), entities(unicode(percent(SECRET)))],
  "escapes of languages": [
    percent(SECRET).replaceAll("%", "\\x"),
    bytesOf(SECRET)
      .map((b) => `\\${b.toString(8)}`)
      .join(""),
  ],
  "quoted-printable": [SECRET.replaceAll("=", "=3D")],
  rot13: [
    SECRET.replace(/[a-z]/gi, (c) =>
      String.fromCharCode((c <= "Z" ? 90 : 122) >= c.charCodeAt(0) + 13 ? c.charCodeAt(0) + 13 : c.charCodeAt(0) - 13),
    ),
  ],
  "something between every two": [hex(SECRET).replace(/(..)/g, "$1 "), hex(SECRET).replace(/(..)/g, "$1:"), SECRET.split("").join(" ")],
  "a prefix of each line": [`${SECRET.slice(0, 9)}\n> ${SECRET.slice(9)}`],
  "another space": ["open the\nSesame now", "open\u00a0the Sesame now", "open&nbsp;the Sesame now", "open  the Sesame now"],
  "entities that are cut or long": [SECRET.replace("&", "&amp").replace("<", "&lt"), SECRET.replace("&", `&#${"0".repeat(20)}38;`)],
  "letters of another shape": ["STRASSE-ÖFFNER-1", "straße-O\u0308ffner-1", SECRET.replace("e", "\u0435"), SECRET.replace("q", "q\u200b")],
  reversal: [SECRET.split("").toReversed().join("")],
  "a part": [SECRET.slice(0, -1), "MIIBVQIBADANBgkqhkiG9w0B"],
}

describe("forms of a secret", () => {
  test.each(Object.entries(CLOSED))("[T32] found: %s", (_, texts) => expect(texts.filter((text) => !isFound(text))).toEqual([]))
  test.each(Object.entries(OPEN))("[T32] not found: %s", (_, texts) => expect(texts.filter(isFound)).toEqual([]))
})
