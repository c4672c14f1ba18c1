// Deliveries as the real senders sign them [W2, S14]: GitHub's, Stripe's and Standard Webhooks' own libraries, Slack's published vector.

import { sign } from "@octokit/webhooks-methods"
import examples from "@octokit/webhooks-examples" with { type: "json" }
import { Webhook } from "standardwebhooks"
import Stripe from "stripe"
import { describe, expect, test } from "vitest"
import type { HookKind } from "../../../src/core/webhook/hook.ts"
import { identityOf } from "../../../src/http/hooks/identity.ts"
import { verify } from "../../../src/http/hooks/verify.ts"

const NOW = 1_800_000_000_000
const SECRET = "a-secret-of-the-test"
const WHSEC = `whsec_${Buffer.from("a standard secret of 32 bytes ok").toString("base64")}`
const OTHER_WHSEC = `whsec_${Buffer.from("another secret of 32 bytes, good").toString("base64")}`
const BODY = JSON.stringify({ id: "evt_1", event_id: "Ev1", title: "Grüße ✓", n: 1 })

type Sent = Record<string, string>

interface Sender {
  readonly kind: HookKind
  readonly proof: string
  readonly secret: string
  readonly other: string
  /** Does it say when it was sent? */
  readonly stamped: boolean
  send(body: string, secret: string, at?: number): Promise<Sent>
}

const stripe = new Stripe("sk_test_unused")
const hex = async (secret: string, text: string): Promise<string> => (await sign(secret, text)).slice("sha256=".length)

const SENDERS: readonly Sender[] = [
  {
    kind: "github",
    proof: "x-hub-signature-256",
    secret: SECRET,
    other: "another-secret",
    stamped: false,
    send: async (body, secret) => ({
      "x-github-delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958",
      "x-hub-signature-256": await sign(secret, body),
    }),
  },
  {
    kind: "stripe",
    proof: "stripe-signature",
    secret: SECRET,
    other: "another-secret",
    stamped: true,
    send: async (body, secret, at = NOW) => ({
      "stripe-signature": stripe.webhooks.generateTestHeaderString({ payload: body, secret, timestamp: Math.floor(at / 1000) }),
    }),
  },
  {
    kind: "slack",
    proof: "x-slack-signature",
    secret: SECRET,
    other: "another-secret",
    stamped: true,
    send: async (body, secret, at = NOW) => {
      const time = String(Math.floor(at / 1000))
      return { "x-slack-request-timestamp": time, "x-slack-signature": `v0=${await hex(secret, `v0:${time}:${body}`)}` }
    },
  },
  {
    kind: "standard",
    proof: "webhook-signature",
    secret: WHSEC,
    other: OTHER_WHSEC,
    stamped: true,
    send: async (body, secret, at = NOW) => ({
      "webhook-id": "msg_1",
      "webhook-timestamp": String(Math.floor(at / 1000)),
      "webhook-signature": new Webhook(secret).sign("msg_1", new Date(at), body),
    }),
  },
  {
    kind: "hmac",
    proof: "x-signature",
    secret: SECRET,
    other: "another-secret",
    stamped: false,
    send: async (body, secret) => ({ "x-signature": await hex(secret, body) }),
  },
  {
    kind: "token",
    proof: "authorization",
    secret: SECRET,
    other: "another-secret",
    stamped: false,
    send: async (_body, secret) => ({ authorization: `Bearer ${secret}` }),
  },
]

interface Case {
  readonly secrets?: readonly string[]
  readonly body?: string | Uint8Array
  readonly header?: string
}

const check = async ({ kind, secret }: Sender, sent: Sent, { secrets = [secret], body = BODY, header }: Case = {}) => {
  const headers = new Headers(sent)
  const raw = typeof body === "string" ? new TextEncoder().encode(body) : body
  return verify({
    hook: { kind, ...(header === undefined ? {} : { header }) },
    secrets,
    header: (n) => headers.get(n),
    body: raw,
    now: NOW,
  })
}

describe.each(SENDERS)("$kind", (sender) => {
  const { kind, proof, secret, other, send } = sender

  test("[W2] a valid delivery is accepted", async () => {
    expect(await check(sender, await send(BODY, secret))).toEqual({ ok: true, value: undefined })
  })

  test("[W2] any changed character in the proof is refused", async () => {
    const sent = await send(BODY, secret)
    const value = sent[proof] ?? ""
    // Of the last base64 digit two bits count for nothing, so the end of that one is not among them.
    for (let i = 0; i < value.length - (kind === "standard" ? 2 : 0); i++) {
      const wrong = value.slice(0, i) + (value[i] === "0" ? "1" : "0") + value.slice(i + 1)
      expect(await check(sender, { ...sent, [proof]: wrong }), wrong).toMatchObject({ ok: false })
    }
    for (const wrong of [value.slice(1), value.slice(0, -2), `${value}0`, `x${value}`, ` , ${value}`])
      expect(await check(sender, { ...sent, [proof]: wrong }), wrong).toMatchObject({ ok: false })
  })

  test("[W2] a wrong, an empty and a missing secret are refused", async () => {
    expect(await check(sender, await send(BODY, other))).toMatchObject({ ok: false })
    const sent = await send(BODY, secret)
    expect(await check(sender, sent, { secrets: [other] })).toMatchObject({ ok: false })
    expect(await check(sender, sent, { secrets: [] })).toMatchObject({ ok: false, error: expect.stringMatching(/no value/) })
    expect(await check(sender, sent, { secrets: ["", "  "] })).toMatchObject({ ok: false, error: expect.stringMatching(/no value/) })
  })

  test("[W2] with two secrets, both are accepted and a third is not", async () => {
    const secrets = [other, secret]
    expect(await check(sender, await send(BODY, secret), { secrets })).toMatchObject({ ok: true })
    expect(await check(sender, await send(BODY, other), { secrets })).toMatchObject({ ok: true })
    const third = kind === "standard" ? `whsec_${Buffer.from("a third one").toString("base64")}` : "a-third-secret"
    expect(await check(sender, await send(BODY, third), { secrets })).toMatchObject({ ok: false })
  })

  test("[W2] every relevant header is refused if missing, empty or repeated", async () => {
    const sent = await send(BODY, secret)
    for (const [name, value] of Object.entries(sent)) {
      const twice = new Headers(sent)
      twice.append(name, value)
      expect(await check(sender, Object.fromEntries(twice)), `${name} twice`).toMatchObject({ ok: false })
      const odd = new Headers(sent)
      odd.append(name, "")
      expect(await check(sender, Object.fromEntries(odd)), `${name} and an empty one`).toMatchObject({ ok: false })
      expect(await check(sender, { ...sent, [name]: "" }), `${name} empty`).toMatchObject({ ok: false })
      const { [name]: _, ...rest } = sent
      // GitHub's id is not signed: without it the body's digest identifies the delivery.
      if (name !== "x-github-delivery") expect(await check(sender, rest), `no ${name}`).toMatchObject({ ok: false })
    }
  })
})

describe("bytes and times", () => {
  test.each(SENDERS.filter((s) => s.kind !== "token"))("[W2] $kind: one bit of any byte altered is refused", async (sender) => {
    const { secret, send } = sender
    const sent = await send(BODY, secret)
    const raw = new TextEncoder().encode(BODY)
    for (let i = 0; i < raw.length; i++) {
      const altered = Uint8Array.from(raw, (byte, at) => (at === i ? byte ^ 1 : byte))
      expect(await check(sender, sent, { body: altered }), `byte ${i}`).toMatchObject({ ok: false })
    }
    expect(await check(sender, sent, { body: `${BODY} ` })).toMatchObject({ ok: false })
    expect(await check(sender, sent, { body: "" })).toMatchObject({ ok: false })
  })

  test.each(SENDERS.filter((s) => s.stamped))("[W2] $kind: five minutes either way are the limit", async (sender) => {
    const { secret, send } = sender
    for (const [seconds, ok] of [
      [-300, true],
      [-301, false],
      [-86_400, false],
      [300, true],
      [302, false],
      [86_400, false],
    ] as const)
      expect(await check(sender, await send(BODY, secret, NOW + seconds * 1000)), `${seconds} s`).toMatchObject({ ok })
  })
})

describe("schemes", () => {
  const of = (kind: HookKind): Sender => {
    const found = SENDERS.find((s) => s.kind === kind)
    if (!found) throw new Error(`no sender of kind ${kind}`)
    return found
  }

  test("[W2] Stripe's v0 proves nothing, even beside v1", async () => {
    const sent = (await of("stripe").send(BODY, SECRET))["stripe-signature"] ?? ""
    expect(await check(of("stripe"), { "stripe-signature": sent.replace("v1=", "v0=") })).toMatchObject({ ok: false })
    const wrong = "0".repeat(64)
    expect(await check(of("stripe"), { "stripe-signature": `${sent.replace("v1=", "v0=")},v1=${wrong}` })).toMatchObject({ ok: false })
    expect(await check(of("stripe"), { "stripe-signature": `${sent},v1=${wrong},v0=${wrong}` })).toMatchObject({ ok: true })
    expect(await check(of("stripe"), { "stripe-signature": sent.replace(/t=\d+/, "t=") })).toMatchObject({ ok: false })
  })

  test("[W2] a standard signature of another version proves nothing", async () => {
    const sent = await of("standard").send(BODY, WHSEC)
    const value = sent["webhook-signature"] ?? ""
    expect(await check(of("standard"), { ...sent, "webhook-signature": value.replace("v1,", "v0,") })).toMatchObject({ ok: false })
    expect(await check(of("standard"), { ...sent, "webhook-signature": value.replace("v1,", "v1a,") })).toMatchObject({ ok: false })
    // During rotation the sender signs with both.
    const both = `${new Webhook(OTHER_WHSEC).sign("msg_1", new Date(NOW), BODY)} ${value}`
    expect(await check(of("standard"), { ...sent, "webhook-signature": both })).toMatchObject({ ok: true })
    expect(await check(of("standard"), sent, { secrets: ["not base64!"] })).toMatchObject({
      ok: false,
      error: expect.stringMatching(/base64/),
    })
    expect(await check(of("standard"), { ...sent, "webhook-id": "msg_2" })).toMatchObject({ ok: false })
  })

  test("[W2] GitHub's old SHA-1 header proves nothing", async () => {
    const sent = await of("github").send(BODY, SECRET)
    const { "x-hub-signature-256": value = "", ...rest } = sent
    expect(await check(of("github"), { ...rest, "x-hub-signature": value })).toMatchObject({ ok: false })
    expect(await check(of("github"), { ...rest, "x-hub-signature-256": value.replace("sha256=", "sha1=") })).toMatchObject({ ok: false })
  })

  test("[W2] an hmac is hex or base64, in the hook's own header", async () => {
    const value = await hex(SECRET, BODY)
    const base64 = Buffer.from(value, "hex").toString("base64")
    for (const sent of [value, value.toUpperCase(), `sha256=${value}`, base64])
      expect(await check(of("hmac"), { "x-proof": sent }, { header: "x-proof" }), sent).toMatchObject({ ok: true })
    expect(await check(of("hmac"), { "x-signature": value }, { header: "x-proof" })).toMatchObject({ ok: false })
    expect(await check(of("hmac"), { "x-proof": `sha512=${value}` }, { header: "x-proof" })).toMatchObject({ ok: false })
  })

  test("[W2] a token is a Bearer token, or the whole value of the hook's own header", async () => {
    expect(await check(of("token"), { authorization: SECRET })).toMatchObject({ ok: false })
    expect(await check(of("token"), { authorization: `Basic ${SECRET}` })).toMatchObject({ ok: false })
    expect(await check(of("token"), { "x-gitlab-token": SECRET }, { header: "x-gitlab-token" })).toMatchObject({ ok: true })
    expect(await check(of("token"), { "x-gitlab-token": `${SECRET}x` }, { header: "x-gitlab-token" })).toMatchObject({ ok: false })
  })

  test("[W2] Slack's published vector", async () => {
    // https://docs.slack.dev/authentication/verifying-requests-from-slack
    const body =
      "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c"
    const headers = new Headers({
      "x-slack-request-timestamp": "1531420618",
      "x-slack-signature": "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
    })
    const proof = {
      hook: { kind: "slack" as const },
      secrets: ["8f742231b10e8888abcd99yyyzzz85a5"],
      header: (n: string) => headers.get(n),
      body: new TextEncoder().encode(body),
    }
    expect(await verify({ ...proof, now: 1_531_420_618_000 })).toMatchObject({ ok: true })
    expect(await verify({ ...proof, now: NOW })).toMatchObject({ ok: false })
  })

  test("[W2] every example that GitHub publishes, as its own library signs it", async () => {
    let count = 0
    for (const { examples: bodies } of examples.slice(0, 60))
      for (const body of bodies) {
        const text = JSON.stringify(body)
        expect(await check(of("github"), { "x-hub-signature-256": await sign(SECRET, text) }, { body: text })).toMatchObject({ ok: true })
        count++
      }
    expect(count).toBeGreaterThan(100)
  })
})

describe("delivery identity", () => {
  const payload = { headers: {}, query: {}, body: { id: "evt_1", event_id: "Ev1", n: 1 } }
  const raw = new TextEncoder().encode(BODY)
  const digest = /^body:[0-9a-f]{64}$/
  const idOf = (kind: HookKind, sent: Sent = {}, more: { dedupe?: string; body?: Record<string, number> } = {}) => {
    const headers = new Headers(sent)
    const { dedupe, body = payload.body } = more
    return identityOf({ kind, ...(dedupe === undefined ? {} : { dedupe }) }, (n) => headers.get(n), { ...payload, body }, raw)
  }

  test("[W3] github: its id and the body's digest, whichever was seen", async () => {
    expect(await idOf("github", { "x-github-delivery": "d1" })).toEqual({ external: "d1", keys: ["id:d1", expect.stringMatching(digest)] })
    expect(await idOf("github")).toEqual({ external: null, keys: [expect.stringMatching(digest)] })
  })

  test("[W3] stripe, slack and standard have ids that are signed", async () => {
    expect(await idOf("stripe")).toEqual({ external: "evt_1", keys: ["id:evt_1"] })
    expect(await idOf("slack")).toEqual({ external: "Ev1", keys: ["id:Ev1"] })
    expect(await idOf("standard", { "webhook-id": "msg_1" })).toEqual({ external: "msg_1", keys: ["id:msg_1"] })
    expect(await idOf("slack", {}, { body: { n: 1 } })).toEqual({ external: null, keys: [expect.stringMatching(digest)] })
  })

  test("[W3] hmac: the hook's template, else the digest; token: the template, else nothing", async () => {
    const dedupe = "n-${{trigger.body.n}}"
    for (const kind of ["hmac", "token"] as const) expect(await idOf(kind, {}, { dedupe })).toEqual({ external: "n-1", keys: ["id:n-1"] })
    const none = "${{trigger.body.nope}}"
    expect(await idOf("hmac", {}, { dedupe: none })).toEqual({ external: null, keys: [expect.stringMatching(digest)] })
    expect(await idOf("token", {}, { dedupe: none })).toEqual({ external: null, keys: [] })
    expect(await idOf("token")).toEqual({ external: null, keys: [] })
  })

  test("[W3] an id may have any length", async () => {
    const long = (last: string): Sent => ({ "webhook-id": "x".repeat(250) + last })
    const [a, b] = [await idOf("standard", long("a")), await idOf("standard", long("b"))]
    expect(a.keys).not.toEqual(b.keys)
    expect(a.external?.length).toBe(200)
  })
})
