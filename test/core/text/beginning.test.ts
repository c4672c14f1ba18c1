// The beginning of a text, for a message.

import { expect, test } from "vitest"
import { Redactor } from "../../../src/core/secrets/redact.ts"
import { beginning } from "../../../src/core/text/beginning.ts"

test("[T32] a text is cut between words", () => {
  expect(beginning("short", 5)).toBe("short")
  expect(beginning("one two three", 9)).toBe("one two…")
  expect(beginning("one two three", 7)).toBe("one two…")
  expect(beginning('{"key":"abcdef"}', 12)).toBe('{"key":…')
  expect(beginning("x".repeat(20), 10)).toBe("…")
})

test("[T32] wherever a text is cut, it shows no half of a secret", () => {
  const secret = "sk-4f9a+QZ/77b1==c0ffee"
  const redactor = new Redactor([["crm", [secret]]])
  const forms = [secret, btoa(secret), encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]
  for (const form of forms) {
    const text = `401 from https://crm.example: {"authorization":"Bearer ${form}"} is not valid, ask for another one`
    for (let most = 0; most <= text.length; most++) {
      const shown = redactor.text(beginning(text, most))
      expect(shown.length).toBeLessThanOrEqual(text.length)
      expect(shown).not.toContain(form.slice(0, 4))
    }
  }
})
