// The shown part of a text from outside: secrets out first, then cut.

import { describe, expect, test } from "vitest"
import { beginning, ending, start } from "../../../src/core/secrets/beginning.ts"
import { NO_SECRETS, Redactor } from "../../../src/core/secrets/redact.ts"
import { setOut, setOutValue } from "../../../src/core/outside/set-out.ts"
import { whole as drive } from "../../support/whole.ts"

const ACCOUNT = JSON.stringify(
  {
    type: "service_account",
    private_key: `-----BEGIN PRIVATE KEY-----\n${"MIIEvQ+aB/c9 d,e{f}'g\"h\\\n".repeat(90)}-----END PRIVATE KEY-----\n`,
    client_email: "robot@project.example",
  },
  null,
  2,
)
const SECRETS: Readonly<Record<string, string>> = {
  "one word": "sk-4f9a+QZ/77b1==c0ffee",
  "a sentence": "correct horse, battery (staple) 'and' more words than one",
  "a service account of 2.4 KB": ACCOUNT,
  "a private key in lines": `-----BEGIN KEY-----\n${"QWxhZGRpbjpvcGVu IHNlc2FtZQ\n".repeat(40)}-----END KEY-----`,
  "braces and quotes": `{"a": "b, c", 'd': [e; f], "g": "<h>"}`,
}
const FORMS: Readonly<Record<string, (secret: string) => string>> = {
  raw: (secret) => secret,
  json: (secret) => JSON.stringify(secret).slice(1, -1),
  "json in json": (secret) => JSON.stringify(JSON.stringify(secret)).slice(3, -3),
  percent: encodeURIComponent,
  base64: (secret) => Buffer.from(secret).toString("base64"),
}
/** Longer than what a secret may share with the words around it. */
const PIECE = 8

/** Every eight characters of the form, which no shown text may hold. */
const pieces = (form: string): readonly string[] => {
  const all: string[] = []
  for (let at = 0; at + PIECE <= form.length; at += PIECE) all.push(form.slice(at, at + PIECE))
  return all
}

describe.each(Object.entries(SECRETS))("%s", (_, secret) => {
  const redactor = new Redactor([["crm", [secret]]])

  test.each(Object.entries(FORMS))("[T32] as %s, wherever a text is cut, it shows no part of it", (_name, write) => {
    const form = write(secret)
    const said = (sent: string): string => `401 from the CRM: wrong key, sent was: ${sent} and that is not valid. ${"x".repeat(500)}`
    const text = said(form)
    const parts = pieces(form).filter((part) => !said("").includes(part))
    const step = Math.max(1, Math.floor(text.length / 60))
    for (let most = 0; most <= text.length + 1; most += step)
      for (const shown of [beginning(text, most, redactor), start(text, most, redactor), drive(ending(text, most, redactor))]) {
        expect(parts.filter((part) => shown.includes(part))).toEqual([])
        expect(shown.length).toBeLessThanOrEqual(most + 1)
      }
  })

  test("[T32] a text that was read in part shows no first part of it", () => {
    for (let end = PIECE; end < secret.length; end += Math.max(1, Math.floor(secret.length / 40))) {
      const clean = drive(redactor.brokenOff(`and the key: ${secret.slice(0, end)}`))
      expect(clean).not.toContain(secret.slice(0, PIECE))
      expect(clean).toMatch(/^and the/)
    }
  })
})

test("[T32] a text is cut between words, and a long word wherever a line ends", () => {
  expect(beginning("short", 5)).toBe("short")
  expect(beginning("one two three", 9)).toBe("one two…")
  expect(beginning("one two three", 7)).toBe("one two…")
  expect(beginning('{"key":"abcdef"}', 12)).toBe('{"key":…')
  expect(beginning("x".repeat(20), 10)).toBe("…")
  expect(start("x".repeat(20), 10)).toBe("x".repeat(10))
  expect(start("x😀y", 2)).toBe("x")
  expect(drive(ending("one 😀two", 4, NO_SECRETS))).toBe("…two")
})

test("[T32] two redactors each know their own secrets, also one inside the other", () => {
  const own = new Redactor([["token", ["token-of-a-person, in words"]]])
  const tenant = new Redactor([["crm", ["the tenant's own, in words"]]])
  const text = "a token-of-a-person, in words; b the tenant's own, in words; c"
  for (let most = 0; most <= text.length; most++) {
    const shown = beginning(text, most, own, tenant)
    expect(shown).not.toMatch(/of-a-person|in words|tenant's/)
  }
  expect(beginning(text, 100, own, tenant)).toBe("a [secret:token]; b [secret:crm]; c")
})

test("[N4] a beginning reads no more than it shows, also of a text that is all secrets", () => {
  const secret = "eight-or-more-signs"
  const redactor = new Redactor([["s", [secret]]])
  const counted = { units: 0 }
  const stream = redactor.stream.bind(redactor)
  Object.defineProperty(redactor, "stream", {
    value: () => {
      const made = stream()
      const push = made.push.bind(made)
      return Object.assign(made, { push: (delta: string) => ((counted.units += delta.length), push(delta)) })
    },
  })
  beginning("y ".repeat(2_500_000), 500, redactor)
  expect(counted.units).toBeLessThan(10_000)
  counted.units = 0
  expect(beginning(secret.repeat(250_000), 500, redactor)).not.toContain("eight")
  expect(counted.units).toBeLessThan(300_000)
})

describe("JSON over lines", () => {
  test("[T21] small, shallow JSON is set out", () => {
    expect(setOut('{"a":[1,{"b":"c, d: [e]"}],"f":{}}')).toBe(JSON.stringify({ a: [1, { b: "c, d: [e]" }], f: {} }, null, 2))
    expect(setOut("no json, at all")).toBe("no json, at all")
    expect(setOut('{"id":12345678901234567890}')).toBe('{"id":12345678901234567890}')
  })

  test.each<readonly [string, string]>([
    ["3,000 levels in 12 KB", `${"[".repeat(3_000)}${Array.from({ length: 3_000 }, () => 1).join(",")}${"]".repeat(3_000)}`],
    ["40 levels", `${"[".repeat(40)}1${"]".repeat(40)}`],
    ["30 levels with many members", `${"[".repeat(30)}${Array.from({ length: 60_000 }, () => 1).join(",")}${"]".repeat(30)}`],
    ["objects 30 deep", `${'{"a":'.repeat(30)}[${Array.from({ length: 20_000 }, () => "[1]").join(",")}]${"}".repeat(30)}`],
    ["many members, flat", `[${Array.from({ length: 1_000_000 }, () => 1).join(",")}]`],
    ["brackets that never close", "[".repeat(100_000)],
    ["brackets that close too often", `[1]${"]".repeat(100_000)}`],
  ])("[N4] %s stays as it is", (_, text) => {
    expect(setOut(text)).toBe(text)
  })

  test("[N4] values are set out like texts: never over more lines than stay small", () => {
    expect(setOutValue({ a: [1, "x"], n: "1234567890123456789" })).toBe(JSON.stringify({ a: [1, "x"], n: "1234567890123456789" }, null, 2))
    expect([setOutValue(undefined), setOutValue(null), setOutValue("a")]).toEqual(["", "null", '"a"'])
    let deep: unknown = Array.from({ length: 20_000 }, (_, n) => n)
    for (let n = 0; n < 60; n++) deep = { deep }
    expect(setOutValue(deep)).toBe(JSON.stringify(deep))
  })

  test("[N4] what is set out is never longer than half a million characters", () => {
    for (let levels = 1; levels <= 32; levels++)
      for (const leaf of ["1", '"a"', "{}", '{"b":1}']) {
        const text = `${"[".repeat(levels)}${Array.from({ length: 30_000 / levels }, () => leaf).join(",")}${"]".repeat(levels)}`
        expect(setOut(text).length).toBeLessThanOrEqual(512 * 1024)
      }
  })
})
