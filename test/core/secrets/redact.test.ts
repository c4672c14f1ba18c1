// Secrets in a text, in every form, whole and in a stream [T32] [S11].

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { NO_SECRETS, Redactor } from "../../../src/core/secrets/redact.ts"
import { formsOf } from "../../../src/core/secrets/secret-forms.ts"
import { anyCharacter } from "../../support/any-character.ts"
import { amount } from "../../support/amount.ts"
import { cpuClock } from "../../support/cpu-clock.ts"

/** Forms made with the platform's encoders instead of Sluice's. */
function spellings(secret: string, before: string): Record<string, string> {
  const bytes = Buffer.from(secret)
  const whole = Buffer.concat([Buffer.from(before), bytes])
  const first = Math.ceil((before.length * 8) / 6)
  const last = Math.floor((whole.length * 8) / 6)
  const percent = [...bytes].map((b) => `%${b.toString(16).padStart(2, "0")}`).join("")
  const form = new URLSearchParams({ v: secret }).toString().slice(2)
  const base64 = whole.toString("base64").slice(first, last)
  const lines = base64.replace(/.{9}(?=.)/g, "$&\r\n")
  const points = Array.from(secret, (c) => c.codePointAt(0) ?? 0)
  const numbers = points.map((n) => `&#${n};`).join("")
  return {
    "upper case": asciiUpper(secret),
    "lower case": secret.replace(/[A-Z]/g, (c) => c.toLowerCase()),
    "changing case": secret.replace(/[A-Za-z]/g, (c: string, i: number) => (i % 2 === 0 ? c.toLowerCase() : c.toUpperCase())),
    "component in upper case": asciiUpper(encodeURIComponent(secret)),
    "hex in mixed case": bytes.toString("hex").replace(/[a-f]/g, (c: string, i: number) => (i % 3 === 0 ? c.toUpperCase() : c)),
    "base64 in lines": lines,
    "base64 in lines of one character": base64.split("").join("\n"),
    "base64 in indented lines": base64.replace(/.{7}(?=.)/g, "$&\n    \t"),
    "base64 in lines, in JSON": JSON.stringify(lines).slice(1, -1),
    "base64 in lines, in JSON in JSON": JSON.stringify(JSON.stringify(lines).slice(1, -1)).slice(1, -1),
    "base64 in lines, in a URL": encodeURIComponent(lines),
    "base64url in lines": whole
      .toString("base64url")
      .slice(first, last)
      .replace(/.{5}(?=.)/g, "$&\n"),
    "hex in lines": bytes.toString("hex").replace(/.{6}(?=.)/g, "$&\n"),
    "decimal entities": numbers,
    "padded entities": points.map((n) => `&#${String(n).padStart(7, "0")};`).join(""),
    "hexadecimal entities": points.map((n) => `&#x${n.toString(16)};`).join(""),
    "hexadecimal entities in upper case": points.map((n) => `&#X${n.toString(16).toUpperCase()};`).join(""),
    "entities in JSON": JSON.stringify(`"${numbers}`).slice(3, -1),
    "entities in a URL": encodeURIComponent(numbers),
    "JSON in entities": Array.from(JSON.stringify(secret).slice(1, -1), (c) => `&#${c.codePointAt(0)};`).join(""),
    "a URL in entities": Array.from(percent, (c) => `&#x${c.charCodeAt(0).toString(16)};`).join(""),
    raw: secret,
    json: JSON.stringify(secret).slice(1, -1),
    "json in json": JSON.stringify(JSON.stringify(secret).slice(1, -1)).slice(1, -1),
    "json of ASCII alone": Array.from(secret)
      .map((c) => escaped(c))
      .join(""),
    "json with escaped slashes": JSON.stringify(secret).slice(1, -1).replaceAll("/", "\\/"),
    component: encodeURIComponent(secret),
    "component in lower case": encodeURIComponent(secret).replaceAll(/%../g, (x) => x.toLowerCase()),
    uri: encodeURI(secret),
    form,
    "every byte": percent,
    "every byte in upper case": percent.toUpperCase(),
    base64: whole.toString("base64").slice(first, last),
    base64url: whole.toString("base64url").slice(first, last),
    "base64 in a URL": encodeURIComponent(whole.toString("base64").slice(first, last)),
    "text of a page": secret.replace(/[&<>]/g, (c) => `&${{ "&": "amp", "<": "lt", ">": "gt" }[c]};`),
    "attribute of a page": secret.replace(/[&<>"']/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c] ?? "&#39;"),
    hex: bytes.toString("hex"),
    "hex in upper case": bytes.toString("hex").toUpperCase(),
  }
}

const asciiUpper = (text: string): string => text.replace(/[a-z]/g, (c) => c.toUpperCase())

const escaped = (char: string): string =>
  [...Array(char.length).keys()].map((i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, "0")}`).join("")

/** Printable text with any characters that keys contain and letters of other scripts, long enough for the vault. */
const secrets = fc
  .oneof(
    fc.string({ unit: fc.constantFrom(..."abcXYZ0189/+=-_.~!*'()\"\\ %&#?{}[]:;,<>|^`$@".split("")), minLength: 8, maxLength: 60 }),
    fc.string({ unit: "grapheme", minLength: 8, maxLength: 30 }),
    fc.base64String({ minLength: 8, maxLength: 60 }),
  )
  .map((s) => s.trim())
  .filter((s) => s.length >= 8 && s.isWellFormed())
/** Any text, including unfinished escapes. */
const contexts = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 30 }),
  fc.string({ unit: fc.constantFrom(...'%\\u00fn2F=&+"ab '.split("")), maxLength: 20 }),
)
/** Text without escapes, so that it cannot combine with a mixed spelling after it. */
const plain = fc.string({ unit: fc.constantFrom(...'the quick, brown: fox\n{}"='.split("")), maxLength: 30 })

function cut(text: string, places: readonly number[]): string[] {
  const borders = [...new Set(places.map((p) => p % (text.length + 1)))].toSorted((a, b) => a - b)
  return [...borders, text.length].map((to, i) => text.slice(borders[i - 1] ?? 0, to))
}

function streamed(redactor: Redactor, pieces: readonly string[]): string {
  const stream = redactor.stream()
  return pieces.map((piece) => stream.push(piece)).join("") + stream.end()
}

describe("one secret", () => {
  const SECRET = 'k3y/"+unique= 7f3ä9b'
  const redactor = new Redactor([["vault", [SECRET]]])

  test.each(Object.entries(spellings(SECRET, "Bearer ")))("[T32] %s is found", (_, form) => {
    expect(redactor.text(`<${form}>`)).toBe("<[secret:vault]>")
    expect(redactor.text(form)).toBe("[secret:vault]")
  })

  test.each(["", "x", "xy", "xyz", "Bearer ", "user:"])("[T32] base64 after %j is found, in full", (before) => {
    const text = Buffer.from(before + SECRET).toString("base64")
    const shown = redactor.text(text)
    expect(shown).toMatch(/^[\w+/]*\[secret:vault\][\w+/]{0,1}={0,2}$/)
    // Beside the mark there is only the text before it, and at most one character with bits of both.
    expect(shown.indexOf("[")).toBeLessThanOrEqual(Math.ceil((before.length * 8) / 6))
  })

  test("[T32] mixed escapes are found", () => {
    expect(redactor.text("a%6B3y%2f%22+unique%3d%207f3%C3%a99b")).toBe("a%6B3y%2f%22+unique%3d%207f3%C3%a99b")
    expect(redactor.text("a %6B3y%2f%22+unique%3d%207f3%C3%a49b z")).toBe("a [secret:vault] z")
    expect(redactor.text('{"a":"\\u006b3y\\/\\"+unique=\\u00207f3\\u00E49b"}')).toBe('{"a":"[secret:vault]"}')
  })

  test("[T32] entities and changed case in other text, and letters of other scripts in any case", () => {
    expect(redactor.text("key: K3Y/&quot;+Unique&#61;&#x20;7F3\u00c49B.")).toBe("key: [secret:vault].")
    expect(redactor.text("k3y&sol;&#34&plus;unique&equals; 7f3&#228;9&#98 end")).toBe("[secret:vault] end")
    expect(redactor.text("k3y&sol&#34;+unique= 7f3\u00e49b")).toContain("k3y&sol")
    expect(redactor.text("&#115;&#x73;&amp;&lt;&unknown;&#xZZ;&#;&")).toBe("&#115;&#x73;&amp;&lt;&unknown;&#xZZ;&#;&")
  })

  test("[T32] a key of several lines is found however its lines end, and a text of other lines is not", () => {
    const pem = "-----BEGIN KEY-----\nMIIBVQIBADANBgkqhkiG9w0BAQEF\nAASCAT8wggE7AgEAAkEAq7BFUpkG\n-----END KEY-----"
    const keys = new Redactor([["pem", [`${pem}\n`]]])
    for (const text of [pem, pem.replaceAll("\n", "\r\n"), pem.replaceAll("\n", "\n    "), JSON.stringify(pem).slice(1, -1)])
      expect(keys.text(`x ${text} y`)).toBe("x [secret:pem] y")
    const lines = "a\n\nb\r\n\tc\nd".repeat(20)
    expect(redactor.text(lines)).toBe(lines)
    // A secret of little but line breaks is found as it is.
    const thin = new Redactor([["thin", ["a\n\n\n\n\n\n\nb"]]])
    expect([thin.text("(a\n\n\n\n\n\n\nb)"), thin.text("ab")]).toEqual(["([secret:thin])", "ab"])
  })

  test("[T32] an entity, a wrapped line and an indent have a longest form", () => {
    const keys = new Redactor([["x", ["opensesame-now"]]])
    const isFound = (text: string): boolean => keys.text(text) === "[secret:x]"
    const entity = (digits: number): string => `open&#${"115".padStart(digits, "0")};esame-now`
    expect([3, 14, 15, 40].map((digits) => isFound(entity(digits)))).toEqual([true, true, false, false])
    const breaks = (count: number, end: string): string => `open${end.repeat(count)}sesame-now`
    expect(["\n", "\r\n"].map((end) => [1, 2, 3].map((count) => isFound(breaks(count, end))))).toEqual([
      [true, true, false],
      [true, true, false],
    ])
    expect([1, 64, 65].map((spaces) => isFound(`open\n${" ".repeat(spaces)}sesame-now`))).toEqual([true, true, false])
  })

  test("[T32] part of a secret is not a secret", () => {
    expect(redactor.text(SECRET.slice(0, -1))).toBe(SECRET.slice(0, -1))
    expect(redactor.text(SECRET.slice(1))).toBe(SECRET.slice(1))
  })

  test("[T32] nested keys, values and numbers of JSON; a value without secrets stays the same object", () => {
    const digits = new Redactor([["pin", ["1234567890"]]])
    expect(redactor.json({ a: [{ [SECRET]: 1, b: `x ${SECRET}` }], c: null })).toEqual({
      a: [{ "[secret:vault]": 1, b: "x [secret:vault]" }],
      c: null,
    })
    expect(digits.json({ a: 1234567890, b: 12345 })).toEqual({ a: "[secret:pin]", b: 12345 })
    const clean = { a: [1, "x", { b: null, c: Number.NaN }] }
    expect(redactor.json(clean)).toBe(clean)
    const twice = redactor.json({ [SECRET]: 1, [encodeURIComponent(SECRET)]: 2 })
    expect(Object.values(twice)).toEqual([1, 2])
    const proto: unknown = JSON.parse(`{"__proto__": {"x": ${JSON.stringify(SECRET)}}}`)
    expect(JSON.stringify(redactor.json(proto))).toBe('{"__proto__":{"x":"[secret:vault]"}}')
  })
})

describe("many secrets", () => {
  test("[T32] overlapping secrets leave nothing of either, and the longest names the mark", () => {
    const redactor = new Redactor([
      ["short", ["abcdefgh"]],
      ["long", ["xxabcdefghyy"]],
      ["next", ["ghyyzzzz"]],
    ])
    expect(redactor.text("-abcdefgh-")).toBe("-[secret:short]-")
    expect(redactor.text("-xxabcdefghyy-")).toBe("-[secret:long]-")
    expect(redactor.text("-xxabcdefghyyzzzz-")).toBe("-[secret:long]-")
    expect(redactor.text("abcdefghabcdefgh")).toBe("[secret:short][secret:short]")
  })

  test("[T32] old values of a scope count too; values under 8 characters never do", () => {
    const redactor = new Redactor([["a", ["new-value-1", "old-value-2", "short"]]])
    expect(redactor.text("new-value-1 old-value-2 short")).toBe("[secret:a] [secret:a] short")
    expect(new Redactor([["a", ["  short  "]]]).idle).toBe(true)
    expect(formsOf("1234567")).toEqual([])
  })

  test("[T32] spaces at a value's ends do not hide it", () => {
    expect(new Redactor([["a", ["a-key-from-a-file\n"]]]).text("x a-key-from-a-file y")).toBe("x [secret:a] y")
  })

  test("[T32] a mark never forms a secret", () => {
    for (const value of ["secret:vault", "[secret:vault]", "]after-the-mark", "before-the-mark[", "x[secret:vault]y"]) {
      const redactor = new Redactor([
        ["vault", [value]],
        ["other", ["before-the-mark[", "other-value"]],
      ])
      for (const text of [value, `${value}after-the-mark`, `other-value${value}`, "before-the-markother-value"]) {
        const shown = redactor.text(text)
        for (const form of formsOf(value)) expect(shown).not.toContain(form)
        expect(redactor.text(shown)).toBe(shown)
      }
    }
  })

  test("[T32] without secrets nothing is touched or held back", () => {
    expect(NO_SECRETS.idle).toBe(true)
    expect(NO_SECRETS.text("anything % \\ at all")).toBe("anything % \\ at all")
    const stream = NO_SECRETS.stream()
    expect([stream.push("a\\"), stream.push("%"), stream.end()]).toEqual(["a\\", "%", ""])
  })
})

describe("streams", () => {
  const redactor = new Redactor([["vault", ["opensesame-now"]]])

  test("[T32] text that may become a secret is held back, and no more than that", () => {
    const stream = redactor.stream()
    expect(stream.push("say open")).toBe("say ")
    expect(stream.push("sesame")).toBe("")
    expect(stream.push("-now!")).toBe("[secret:vault]!")
    expect(stream.push("say opens")).toBe("say ")
    expect(stream.push("ource")).toBe("opensource")
    expect(stream.push(" %6f%70")).toBe(" ")
    expect(stream.push("en source")).toBe("%6f%70en source")
    expect(stream.push(" opensesa")).toBe(" ")
    expect(stream.end()).toBe("opensesa")
  })

  test("[T32] no more than the longest form is ever held back", () => {
    const same = new Redactor([["a", ["aaaaaaaaab"]]])
    const longest = Math.max(...formsOf("aaaaaaaaab").map((f) => f.length))
    const stream = same.stream()
    let shown = 0
    for (let n = 1; n <= 1000; n++) {
      shown += stream.push("a").length
      expect(n - shown).toBeLessThanOrEqual(longest)
    }
  })
})

describe("properties", () => {
  const check = (property: fc.IProperty<never> | fc.IProperty<unknown>, numRuns: number): void => {
    fc.assert(property as fc.IProperty<unknown>, { numRuns })
  }

  test("[T32] any secret, any context, any form: no form of it remains, and redacting again changes nothing", () => {
    check(
      fc.property(secrets, contexts, contexts, fc.string({ maxLength: 5 }), (secret, before, after, head) => {
        const redactor = new Redactor([["x", [secret]]])
        for (const form of formsOf(secret)) {
          const shown = redactor.text(before + form + after)
          for (const other of formsOf(secret)) expect(shown).not.toContain(other)
          expect(redactor.text(shown)).toBe(shown)
        }
        for (const form of Object.values(spellings(secret, head.replaceAll(/[^ -~]/g, "")))) {
          const shown = redactor.text(` ${form} `)
          expect(shown).not.toContain(form)
          expect(redactor.text(shown)).toBe(shown)
        }
      }),
      amount(300, 100),
    )
  })

  test("[T32] arbitrary escapes: each character raw, percent-encoded or escaped for JSON", () => {
    const one = (c: string, how: number): string =>
      how % 3 === 0 ? c : how % 3 === 1 ? [...Buffer.from(c)].map((b) => `%${b.toString(16).padStart(2, "0")}`).join("") : escaped(c)
    check(
      fc.property(secrets, plain, plain, fc.array(fc.nat(5), { minLength: 60, maxLength: 60 }), fc.boolean(), (secret, a, b, how, json) => {
        // A raw backslash or % beside escapes starts an escape, so the text means something else.
        fc.pre(!/[\\%]/.test(secret))
        const form = Array.from(secret)
          .map((c, i) => one(c, (how[i] ?? 0) % 2 === 0 ? 0 : json ? 2 : 1))
          .join("")
        const redactor = new Redactor([["x", [secret]]])
        const shown = redactor.text(a + form + b)
        expect(shown).not.toContain(form)
      }),
      amount(300, 100),
    )
  })

  test("[T32] any split of a stream gives what the whole text gives, and no piece shows a secret", () => {
    check(
      fc.property(
        secrets,
        secrets,
        contexts,
        contexts,
        fc.nat(1_000),
        fc.array(fc.nat(10_000), { maxLength: 12 }),
        (secret, second, before, after, which, places) => {
          const redactor = new Redactor([
            ["x", [secret]],
            ["y", [second]],
          ])
          const all = [...Object.values(spellings(secret, "ab")), ...formsOf(second)]
          const form = all[which % all.length] ?? ""
          const text = before + form + after + second + before
          expect(streamed(redactor, cut(text, places))).toBe(redactor.text(text))
          expect(streamed(redactor, text.split(""))).toBe(redactor.text(text))
        },
      ),
      amount(500, 200),
    )
  })

  test("[T32] broken lines hold back a bounded part of a stream", () => {
    const redactor = new Redactor([["x", ["opensesame-now"]]])
    const stream = redactor.stream()
    let shown = 0
    for (let n = 1; n <= 50_000; n++) {
      shown += stream.push(n % 2 === 0 ? "\n" : " ").length
      if (n === 1) shown += stream.push("opensesame").length - 10
    }
    expect(50_000 - shown).toBeLessThan(3_000)
    expect(new Redactor([["x", ["opensesame-now"]]]).text(`open${"\n".repeat(3)}sesame-now`)).toContain("sesame-now")
  })

  test("[T32] a text without a secret is byte-identical", () => {
    const redactor = new Redactor([["x", ["Zq9-never-in-a-text-Zq9"]]])
    check(
      fc.property(fc.oneof(contexts, fc.string({ unit: anyCharacter, maxLength: 200 })), (text) => {
        expect(redactor.text(text)).toBe(text)
        expect(streamed(redactor, text.split(""))).toBe(text)
      }),
      amount(500, 200),
    )
  })

  test("[T32] arguments with a secret stay valid JSON", () => {
    check(
      fc.property(secrets, fc.jsonValue({ maxDepth: 3 }), (secret, value) => {
        const redactor = new Redactor([["x", [secret]]])
        const shown = JSON.stringify(redactor.json({ value, deep: [{ a: `${secret}!` }] }))
        expect(JSON.stringify(JSON.parse(shown))).toBe(shown)
        expect(redactor.text(shown)).toBe(shown)
      }),
      200,
    )
  })
})

describe("size", () => {
  test("[T32] time is linear in the text, however similar it is to a secret", () => {
    const redactor = new Redactor([
      ["a", ["aaaaaaaaab", "k3y/unique=7f3a9b"]],
      ["b", ["aaaaaaaac"]],
    ])
    const time = (text: string): number => {
      const spent = cpuClock()
      redactor.text(text)
      return spent()
    }
    for (const unit of [
      "aaaaaaaaaa",
      "k3y/unique=7f3a9a ",
      "k3y/unique=7f3a9b ",
      "%6b3y\\/x\\u0061 ",
      "a\na\n",
      "&#97;%61\\u0061\n",
      "&#x61",
      "&#",
    ]) {
      const small = unit.repeat(Math.ceil(amount(300_000, 100_000) / unit.length))
      time(small)
      const once = Math.max(time(small), time(small), 5)
      // 10 when linear, 100 when quadratic.
      expect(time(small.repeat(10)) / once).toBeLessThan(60)
    }
  })
})
