// Verifies that a delivery comes from its sender [W2]. The signature is checked over the raw bytes, in constant time, before anything is parsed.
//
// Workers join repeated headers with ", ". No proof, id or time contains a comma with a space, so every pattern below
// is anchored at both ends and refuses a repeated header. Any value of the secret's scope counts, except an empty one.

import { joined } from "../../core/text/joined-bytes.ts"
import { proofHeader, type HookSettings } from "../../core/webhook/hook.ts"
import { err, ok, type Result } from "../../core/result.ts"

/** Both ways: clocks differ, and a delivery takes time. */
const TOLERANCE_S = 300 // limit: seconds between a delivery's time and ours → 401 `unproven`

export interface DeliveryProof {
  readonly hook: Pick<HookSettings, "kind" | "header">
  /** All values of the secret's scope. */
  readonly secrets: readonly string[]
  header(name: string): string | null
  readonly body: Uint8Array
  /** Milliseconds. */
  readonly now: number
}

/** Verifies a delivery. The error is for the hook's log, never for the sender. */
export async function verify(proof: DeliveryProof): Promise<Result<void, string>> {
  const name = proofHeader(proof.hook)
  const value = proof.header(name) ?? ""
  const secrets = proof.secrets.filter((secret) => secret.trim() !== "")
  if (value === "") return err(`the header ${name} is missing or empty`)
  if (secrets.length === 0) return err("the hook's secret has no value in the vault")
  switch (proof.hook.kind) {
    case "github":
      return (
        once(proof, "x-github-delivery", /^[\w.-]{1,200}$/) ??
        signed(signatures(value, /^sha256=([0-9a-f]{64})$/), name, keys(secrets), proof.body)
      )
    case "stripe":
      return stripe(proof, name, value, keys(secrets))
    case "slack":
      return slack(proof, name, value, keys(secrets))
    case "standard":
      return standard(proof, name, value, secrets)
    case "hmac":
      return signed(signatures(value, /^(?:sha256=)?([0-9a-fA-F]{64}|[A-Za-z0-9+/]{43}=)$/), name, keys(secrets), proof.body)
    case "token":
      return token(value, name, secrets)
  }
}

async function stripe({ body, now }: DeliveryProof, name: string, value: string, secrets: readonly Bytes[]): Promise<Result<void, string>> {
  const parts = value.split(",").map((part) => /^([a-z][a-z0-9]*)=([0-9a-f]+)$/.exec(part))
  const all = (key: string): string[] => parts.flatMap((part) => (part?.[1] === key && part[2] !== undefined ? [part[2]] : []))
  const [time, ...times] = all("t")
  if (parts.includes(null) || time === undefined || times.length > 0) return err(`the header ${name} is malformed or repeated`)
  // `v0` is a test scheme and proves nothing.
  const found = all("v1").filter((hex) => hex.length === 64)
  return off(time, now) ?? signed(found.map(fromHex), name, secrets, joined([encoder.encode(`${time}.`), body]))
}

async function slack(proof: DeliveryProof, name: string, value: string, secrets: readonly Bytes[]): Promise<Result<void, string>> {
  const time = proof.header("x-slack-request-timestamp") ?? ""
  return (
    off(time, proof.now) ??
    signed(signatures(value, /^v0=([0-9a-f]{64})$/), name, secrets, joined([encoder.encode(`v0:${time}:`), proof.body]))
  )
}

/** https://www.standardwebhooks.com: `whsec_` and base64, or base64 alone. */
async function standard(proof: DeliveryProof, name: string, value: string, secrets: readonly string[]): Promise<Result<void, string>> {
  const id = proof.header("webhook-id") ?? ""
  const time = proof.header("webhook-timestamp") ?? ""
  const wrong = once(proof, "webhook-id", /^[\x21-\x2b\x2d-\x7e]{1,256}$/) ?? off(time, proof.now)
  if (wrong) return wrong
  if (id === "") return err("the header webhook-id is missing or empty")
  const parts = value.split(" ").map((part) => /^(v\d+[a-z]?),([A-Za-z0-9+/]+={0,2})$/.exec(part))
  if (parts.includes(null)) return err(`the header ${name} is malformed or repeated`)
  const found = parts.flatMap((part) => (part?.[1] === "v1" && part[2]?.length === 44 ? [fromBase64(part[2])] : []))
  const opened = secrets.flatMap((secret) => fromBase64(secret.replace(/^whsec_/, "")) ?? [])
  if (opened.length === 0) return err("the hook's secret is not base64: the kind standard needs `whsec_…`")
  return signed(found, name, opened, joined([encoder.encode(`${id}.${time}.`), proof.body]))
}

/** Compares both values under a one-time key, so that timing reveals nothing about them. */
async function token(value: string, name: string, secrets: readonly string[]): Promise<Result<void, string>> {
  const given = name === "authorization" ? /^bearer +(\S.*)$/i.exec(value)?.[1] : value
  if (given === undefined) return err("the header authorization is not `Bearer TOKEN`")
  const key = await crypto.subtle.generateKey({ name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"])
  if (!("type" in key)) throw new Error("an HMAC key must be a single key")
  const seal = await crypto.subtle.sign("HMAC", key, encoder.encode(given))
  const fits = await Promise.all(secrets.map((secret) => crypto.subtle.verify("HMAC", key, seal, encoder.encode(secret))))
  return fits.includes(true) ? ok(undefined) : err(`the token in ${name} does not match`)
}

type Bytes = Uint8Array<ArrayBuffer>

/** Does any signature match any key? `verify` compares in constant time. */
async function signed(
  found: readonly (Bytes | undefined)[],
  name: string,
  secrets: readonly Bytes[],
  data: Uint8Array,
): Promise<Result<void, string>> {
  const good = found.filter((signature) => signature !== undefined).slice(0, MAX_SIGNATURES)
  if (good.length === 0) return err(`the header ${name} has no supported signature, or is repeated`)
  const opened = await Promise.all(
    secrets.map((secret) => crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["verify"])),
  )
  const fits = await Promise.all(opened.flatMap((key) => good.map((signature) => crypto.subtle.verify("HMAC", key, signature, data))))
  return fits.includes(true) ? ok(undefined) : err("the signature does not match this body and secret")
}

/** Rotation needs two or three; each costs a pass over the body. */
const MAX_SIGNATURES = 8 // limit: signatures of a delivery that are tried → further ones prove nothing

/** The error if the time is invalid or outside the tolerance. */
function off(time: string, now: number): Result<void, string> | undefined {
  if (!/^\d{1,12}$/.test(time)) return err("the timestamp is missing, malformed or repeated")
  const late = now / 1000 - Number(time)
  if (Math.abs(late) <= TOLERANCE_S) return undefined
  return err(
    late > 0 ? `it was sent more than ${TOLERANCE_S / 60} minutes ago` : `its timestamp is more than ${TOLERANCE_S / 60} minutes ahead`,
  )
}

/** The error if an optional header is malformed or repeated. */
function once(proof: DeliveryProof, name: string, form: RegExp): Result<void, string> | undefined {
  const value = proof.header(name)
  return value === null || form.test(value) ? undefined : err(`the header ${name} is malformed or repeated`)
}

function signatures(value: string, form: RegExp): (Bytes | undefined)[] {
  const text = form.exec(value)?.[1]
  if (text === undefined) return []
  return [text.length === 64 ? fromHex(text) : fromBase64(text)]
}

const encoder = new TextEncoder()
const keys = (secrets: readonly string[]): Bytes[] => secrets.map((secret) => new Uint8Array(encoder.encode(secret)))
const fromHex = (hex: string): Bytes =>
  Uint8Array.from({ length: hex.length / 2 }, (_, i) => Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16))

function fromBase64(text: string): Bytes | undefined {
  if (text === "" || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined
  try {
    return Uint8Array.from(atob(text), (c) => c.charCodeAt(0))
  } catch {
    return undefined
  }
}
