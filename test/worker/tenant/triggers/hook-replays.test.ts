// Deliveries of all six kinds, signed as their senders sign them [W2, W3], through the whole Worker inside workerd: valid, altered and stale, each
// sent 50 times at once. A valid delivery is one run however often it is sent; an invalid one leaves a verdict and no run.

import { SELF } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { sign } from "@octokit/webhooks-methods"
import { Webhook } from "standardwebhooks"
import Stripe from "stripe"
import { describe, expect, test } from "vitest"
import { portOf } from "../../../../src/cloudflare/platform/port-of.ts"
import { promisedRun } from "../../../../src/cloudflare/clients/promised-run.ts"
import { secretsPort } from "../../../../src/cloudflare/clients/secrets.ts"
import { catalogPort } from "../../../../src/cloudflare/authoring/catalog.ts"
import { until } from "../../../support/worker/service-client.ts"
import type { HookKind, HookSettings } from "../../../../src/core/webhook/hook.ts"
import type { HookRow } from "../../../../src/ports/tenant/hooks.ts"

const TIMES = 50
const FLOW = "name: f\ndescription: a flow\nsteps:\n  - { id: x, type: wait, for: 1ms }\n"
const SECRET = "a-secret-of-the-test"
const WHSEC = `whsec_${btoa("a standard secret of 32 bytes ok")}`

type Sent = Record<string, string>

interface Sender {
  readonly kind: HookKind
  readonly secret: string
  /** Does it contain the time when it was sent? */
  readonly stamped: boolean
  /** Is the body signed? */
  readonly signed: boolean
  readonly more: Partial<HookSettings>
  readonly body: string
  /** `at`: milliseconds. */
  send(body: string, at: number): Promise<Sent>
}

const stripe = new Stripe("sk_test_unused")
const seconds = (at: number): string => String(Math.floor(at / 1000))
const hex = async (text: string): Promise<string> => (await sign(SECRET, text)).slice("sha256=".length)
const own = JSON.stringify({ id: "evt_1", event_id: "Ev1", title: "Grüße ✓" })

const SENDERS: readonly Sender[] = [
  {
    kind: "github",
    secret: SECRET,
    stamped: false,
    signed: true,
    more: {},
    body: own,
    send: async (body) => ({
      "x-github-event": "issues",
      "x-github-delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958",
      "x-hub-signature-256": await sign(SECRET, body),
    }),
  },
  {
    kind: "stripe",
    secret: SECRET,
    stamped: true,
    signed: true,
    more: {},
    body: own,
    send: async (payload, at) => ({
      "stripe-signature": await stripe.webhooks.generateTestHeaderStringAsync({
        payload,
        secret: SECRET,
        timestamp: Number(seconds(at)),
        cryptoProvider: Stripe.createSubtleCryptoProvider(),
      }),
    }),
  },
  {
    kind: "slack",
    secret: SECRET,
    stamped: true,
    signed: true,
    more: {},
    body: own,
    send: async (body, at) => ({
      "x-slack-request-timestamp": seconds(at),
      "x-slack-signature": `v0=${await hex(`v0:${seconds(at)}:${body}`)}`,
    }),
  },
  {
    kind: "standard",
    secret: WHSEC,
    stamped: true,
    signed: true,
    more: {},
    body: own,
    send: async (body, at) => ({
      "webhook-id": "msg_1",
      "webhook-timestamp": seconds(at),
      "webhook-signature": new Webhook(WHSEC).sign("msg_1", new Date(at), body),
    }),
  },
  {
    kind: "hmac",
    secret: SECRET,
    stamped: false,
    signed: true,
    more: {},
    body: own,
    send: async (body) => ({ "x-signature": await hex(body) }),
  },
  {
    kind: "token",
    secret: SECRET,
    stamped: false,
    signed: false,
    more: { dedupe: "${{trigger.body.id}}" },
    body: own,
    send: async () => ({ authorization: `Bearer ${SECRET}` }),
  },
]

async function hookOf(tenant: string, { kind, secret }: Sender, more: Partial<HookSettings>): Promise<HookRow> {
  await catalogPort(env, tenant).put("flow", "flows/f.yaml", FLOW)
  await secretsPort(env, tenant, () => Date.now()).put("hs", [secret])
  const hook = await portOf(env, tenant, "hooks").create({
    flow: "f",
    kind,
    secret: "hs",
    mapping: { task: "${{trigger.body}}" },
    autonomous: true,
    enabled: true,
    ...more,
  })
  if (hook === "too_many") throw new Error("too many hooks")
  return hook
}

interface Answer {
  readonly status: number
  readonly run: string | null
}

async function storm(hook: HookRow, headers: Sent, body: string): Promise<Answer[]> {
  const one = async (): Promise<Answer> => {
    const r = await SELF.fetch(`https://sluice.test/v1/hooks/${hook.id}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body,
    })
    const said = await r.json<{ run?: string | null }>()
    return { status: r.status, run: said.run ?? null }
  }
  return Promise.all(Array.from({ length: TIMES }, one))
}

const counted = (answers: readonly Answer[]): Record<number, number> => {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}
/** A run appears in the list when it has started, which a sender does not wait for. Waits for `wanted` runs. */
const runsOf = (tenant: string, wanted = 0): Promise<unknown[]> =>
  until(async () => {
    const page = await portOf(env, tenant, "runs").list({ limit: 100 })
    return "data" in page && page.data.length >= wanted && page.data.map((r) => r["id"])
  }, `${wanted} runs of ${tenant}`)
const logOf = async (tenant: string, hook: HookRow) => {
  const page = await portOf(env, tenant, "hooks").deliveries(hook.id, { limit: 200 })
  return page && "data" in page ? page.data : []
}
const altered = (body: string): string => body.replace('"id":', '"id" :')

describe.each(SENDERS)("$kind", (sender) => {
  const { kind, signed, body, more, send } = sender

  test("[W3] valid, 50 times at once: one run, and every answer names it", async () => {
    const tenant = `r-good-${kind}`
    const hook = await hookOf(tenant, sender, more)
    const answers = await storm(hook, await send(body, Date.now()), body)
    expect(counted(answers)).toEqual({ 202: 1, 200: TIMES - 1 })
    const [run] = answers.map((a) => a.run)
    expect(new Set(answers.map((a) => a.run))).toEqual(new Set([expect.stringMatching(/^run_/)]))
    expect(await logOf(tenant, hook)).toMatchObject([{ verdict: "accepted", run, duplicates: TIMES - 1 }])
    expect((await promisedRun(env, tenant, run ?? "").wait(50_000))?.status).toBe("succeeded")
    // And a minute later, newly signed.
    const later = await storm(hook, await send(body, Date.now() + 60_000), body)
    expect(counted(later)).toEqual({ 200: TIMES })
    expect(await runsOf(tenant, 1)).toEqual([run])
  })

  test("[W2] altered, 50 times at once: nothing starts", async () => {
    const tenant = `r-altered-${kind}`
    const hook = await hookOf(tenant, sender, more)
    expect(altered(body)).not.toBe(body)
    if (signed) {
      expect(counted(await storm(hook, await send(body, Date.now()), altered(body)))).toEqual({ 401: TIMES })
      expect(await logOf(tenant, hook)).toHaveLength(TIMES)
      expect((await logOf(tenant, hook)).every((d) => d.verdict === "rejected" && d.run === null)).toBe(true)
    } else {
      // A token proves who sends, not what: another token is refused, and an altered body under a known id is a duplicate.
      expect(counted(await storm(hook, { authorization: `Bearer ${SECRET}x` }, body))).toEqual({ 401: TIMES })
      expect(await runsOf(tenant)).toEqual([])
      const [first] = await storm(hook, await send(body, Date.now()), body)
      const again = await storm(hook, await send(body, Date.now()), altered(body))
      expect([counted(again), new Set(again.map((a) => a.run))]).toEqual([{ 200: TIMES }, new Set([first?.run])])
    }
    expect(await runsOf(tenant, signed ? 0 : 1)).toHaveLength(signed ? 0 : 1)
  })
})

describe.each(SENDERS.filter((s) => s.stamped))("$kind", (sender) => {
  const { kind, body, more, send } = sender

  test("[W2] stale or from the future, 50 times at once: nothing starts", async () => {
    const tenant = `r-stale-${kind}`
    const hook = await hookOf(tenant, sender, more)
    // The exact limits, to the second, are in test/http/hooks/webhook-verify.test.ts.
    for (const off of [-301_000, 3_600_000])
      expect(counted(await storm(hook, await send(body, Date.now() + off), body)), String(off)).toEqual({ 401: TIMES })
    expect((await logOf(tenant, hook)).map((d) => [d.verdict, d.run])).toEqual(Array.from({ length: 2 * TIMES }, () => ["rejected", null]))
    expect(await runsOf(tenant)).toEqual([])
  })
})

describe("how duplicates are recognized", () => {
  const of = (kind: HookKind): Sender => {
    const sender = SENDERS.find((s) => s.kind === kind)
    if (!sender) throw new Error(kind)
    return sender
  }

  test("[W3] github: a captured body under 50 new ids at once is one run", async () => {
    const sender = of("github")
    const hook = await hookOf("r-captured", sender, {})
    const headers = await sender.send(sender.body, Date.now())
    const answers = await Promise.all(
      Array.from({ length: TIMES }, (_, i) =>
        SELF.fetch(`https://sluice.test/v1/hooks/${hook.id}`, {
          method: "POST",
          headers: { ...headers, "content-type": "application/json", "x-github-delivery": `captured-${i}` },
          body: sender.body,
        }).then(async (r) => ({ status: r.status, run: (await r.json<{ run: string }>()).run })),
      ),
    )
    expect(counted(answers)).toEqual({ 202: 1, 200: TIMES - 1 })
    expect(await runsOf("r-captured", 1)).toEqual([answers[0]?.run])
  })

  test("[W3] token without a dedupe template: nothing identifies a duplicate, so 50 deliveries are 50 runs", async () => {
    const sender = of("token")
    const hook = await hookOf("r-token", sender, {})
    const answers = await storm(hook, await sender.send(sender.body, Date.now()), sender.body)
    expect(counted(answers)).toEqual({ 202: TIMES })
    expect(new Set(answers.map((a) => a.run)).size).toBe(TIMES)
    const log = await logOf("r-token", hook)
    expect(log.map((d) => [d.verdict, d.external_id, d.duplicates])).toEqual(Array.from({ length: TIMES }, () => ["accepted", null, 0]))
    expect(await runsOf("r-token", TIMES)).toHaveLength(TIMES)
  })

  test("[W3] hmac with a dedupe template: only the template decides, not the rest of the body", async () => {
    const sender = of("hmac")
    const hook = await hookOf("r-hmac", sender, { dedupe: "${{trigger.body.id}}" })
    const bodies = [sender.body, altered(sender.body)]
    const answers: Answer[] = []
    for (const body of bodies) answers.push(...(await storm(hook, await sender.send(body, Date.now()), body)))
    expect(counted(answers)).toEqual({ 202: 1, 200: 2 * TIMES - 1 })
    expect(await runsOf("r-hmac", 1)).toHaveLength(1)
  })
})
