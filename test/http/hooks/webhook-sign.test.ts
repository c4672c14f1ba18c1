// A delivery as its sender would sign it, for the test of a hook: what signs is believed by what proves, for every kind.

import { describe, expect, test } from "vitest"
import { HOOK_KINDS } from "../../../src/core/webhook/hook.ts"
import { sampleOf, signedHeaders } from "../../../src/http/hooks/sign.ts"
import { verify } from "../../../src/http/hooks/verify.ts"

const NOW = 1_800_000_000_123
const SECRETS = ["a-secret-of-the-test", `whsec_${btoa("a standard secret of 32 bytes ok")}`]

async function sent(kind: (typeof HOOK_KINDS)[number], secret: string, text = JSON.stringify(sampleOf(kind, "test-1")), header?: string) {
  const hook = { kind, ...(header === undefined ? {} : { header }) }
  const body = new TextEncoder().encode(text)
  const headers = new Headers(await signedHeaders({ hook, secret, body, id: "test-1", event: "issues", now: NOW }))
  return { hook, headers, body }
}

describe.each(HOOK_KINDS)("%s", (kind) => {
  const secret = SECRETS[kind === "standard" ? 1 : 0] ?? ""

  test("[W2] a sample that is signed here is believed, and with another body or secret it is not", async () => {
    for (const text of [JSON.stringify(sampleOf(kind, "test-1")), '"Grüße ✓ \u2028"', "{}", ""]) {
      const { hook, headers, body } = await sent(kind, secret, text)
      const proof = { hook, header: (name: string) => headers.get(name), now: NOW }
      expect(await verify({ ...proof, secrets: [secret], body }), text).toEqual({ ok: true, value: undefined })
      expect(await verify({ ...proof, secrets: [`whsec_${btoa("another secret of 32 bytes, good")}`], body }), text).toMatchObject({
        ok: false,
      })
      if (kind !== "token")
        expect(await verify({ ...proof, secrets: [secret], body: new TextEncoder().encode(`${text} `) }), text).toMatchObject({ ok: false })
    }
  })

  test("[W2] an odd secret is refused by the proof, and breaks nothing", async () => {
    for (const odd of ["not base64 !", "ünïcode-secret", "whsec_", "="]) {
      const made = await sent(kind, odd).catch((error: unknown) => error)
      // A header has only Latin-1: such a token could not be sent.
      if (made instanceof Error) expect(kind).toBe("token")
    }
  })
})

test("[W2] a hook's own header has the proof", async () => {
  const { headers } = await sent("hmac", "a-secret-of-the-test", "{}", "x-shop")
  expect(headers.get("x-shop")).toMatch(/^sha256=[0-9a-f]{64}$/)
  expect((await sent("token", "a-secret-of-the-test", "{}", "x-shop")).headers.get("x-shop")).toBe("a-secret-of-the-test")
})
