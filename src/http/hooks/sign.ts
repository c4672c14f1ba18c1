// Signs a sample delivery like its sender [W1], for tests of a hook; verify.ts is the other side.

import type { Json } from "../../core/json.ts"
import { joined } from "../../core/text/joined-bytes.ts"
import { toHex } from "../../core/text/hex.ts"
import { proofHeader, type HookSettings } from "../../core/webhook/hook.ts"

export interface Signing {
  readonly hook: Pick<HookSettings, "kind" | "header">
  readonly secret: string
  readonly body: Uint8Array
  /** The sender's id of the delivery. */
  readonly id: string
  /** For GitHub. */
  readonly event: string
  /** Milliseconds. */
  readonly now: number
}

/** The headers; the last one is the signature. */
export async function signedHeaders({ hook, secret, body, id, event, now }: Signing): Promise<Readonly<Record<string, string>>> {
  const name = proofHeader(hook)
  const time = String(Math.floor(now / 1_000))
  const key = encoder.encode(secret)
  switch (hook.kind) {
    case "github":
      return { "x-github-event": event, "x-github-delivery": id, [name]: `sha256=${toHex(await hmac(key, body))}` }
    case "stripe":
      return { [name]: `t=${time},v1=${toHex(await hmac(key, joined([encoder.encode(`${time}.`), body])))}` }
    case "slack": {
      const seal = await hmac(key, joined([encoder.encode(`v0:${time}:`), body]))
      return { "x-slack-request-timestamp": time, [name]: `v0=${toHex(seal)}` }
    }
    case "standard": {
      const seal = await hmac(bytesOf(secret), joined([encoder.encode(`${id}.${time}.`), body]))
      return { "webhook-id": id, "webhook-timestamp": time, [name]: `v1,${btoa(String.fromCharCode(...seal))}` }
    }
    case "hmac":
      return { [name]: `sha256=${toHex(await hmac(key, body))}` }
    case "token":
      return { [name]: name === "authorization" ? `Bearer ${secret}` : secret }
  }
}

/** A sample body for this kind of sender, with the members that mappings and filters usually read. */
export function sampleOf(kind: HookSettings["kind"], id: string): Json {
  switch (kind) {
    case "github":
      return {
        action: "opened",
        issue: { number: 1, title: "A sample issue", body: "Sent by a test of the hook.", user: { login: "octocat" } },
        repository: { full_name: "example/sample" },
        sender: { login: "octocat" },
      }
    case "stripe":
      return { id, object: "event", type: "charge.succeeded", data: { object: { id: "ch_sample", amount: 100, currency: "usd" } } }
    case "slack":
      return {
        type: "event_callback",
        event_id: id,
        event: { type: "message", user: "U0SAMPLE", channel: "C0SAMPLE", text: "A sample message" },
      }
    case "standard":
      return { type: "sample.sent", data: { id } }
    case "hmac":
    case "token":
      return { id, sample: true }
  }
}

const encoder = new TextEncoder()

/** `whsec_` and base64; a secret that is none signs with nothing, and the proof says what is wrong with it. */
function bytesOf(secret: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(secret.replace(/^whsec_/, "")), (char) => char.charCodeAt(0))
  } catch {
    return new Uint8Array()
  }
}

async function hmac(secret: Uint8Array, data: Uint8Array): Promise<Uint8Array> {
  // An empty key cannot be imported.
  const bytes = secret.byteLength === 0 ? new Uint8Array(1) : new Uint8Array(secret)
  const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"])
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, new Uint8Array(data)))
}
