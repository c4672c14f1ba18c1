// What the API answers about replays, comparisons and receipts.

import { z } from "zod"
import { documented } from "./shape.doc.ts"

export const Replayed = z.object({
  events: z.number().describe("How many events the journal has."),
  identical: z.boolean().describe("Whether this build's kernel makes the same journal, byte for byte."),
  first: z
    .object({
      seq: z.number().describe("The event where they part."),
      expected: z.json().describe("The journal's event; null if the journal ends before it."),
      found: z.json().describe("What this build's kernel does in its place: an event, a refusal or a fault; null for nothing."),
    })
    .exactOptional()
    .describe("The first difference."),
})

export type Replayed = z.infer<typeof Replayed>

const holds = (what: string) => z.boolean().describe(what)
export const Verified = z.object({
  valid: z.boolean().describe("Whether all checks hold. A replay by another build does not count."),
  line: z.number().exactOptional().describe("The first line at which something is wrong, from 1."),
  checks: z
    .object({
      form: holds("Each line is written as it must be."),
      sequence: holds("All events are there, in order."),
      chain: holds("Each line has the hash of the one before it."),
      definitions: holds("The texts are those that the run was started with."),
      signature: holds("A key of this instance signed it."),
      replay: holds("This build's kernel makes the same events; tried only if all else holds."),
    })
    .describe("What holds, by check."),
})

export type Verified = z.infer<typeof Verified>

export const SigningKey = z.object({
  kty: z.literal("OKP").describe("The kind of key."),
  crv: z.literal("Ed25519").describe("The curve."),
  x: z.string().describe("The public key, in base64url."),
  kid: z.string().describe("The key's id, as receipts name it."),
  use: z.literal("sig").describe("What it is for."),
  alg: z.literal("EdDSA").describe("The algorithm."),
})
export type SigningKey = z.infer<typeof SigningKey>
export const SigningKeys = z.object({ keys: z.array(SigningKey).describe("Every key that ever signed, oldest first.") })

const key = {
  kty: "OKP",
  crv: "Ed25519",
  x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
  kid: "sig_0f5e2c91a7b34d6688e1c2f3a4b5d6e7",
  use: "sig",
  alg: "EdDSA",
} as const

export const trustDoc = documented({
  shapes: { Replayed, Verified, SigningKey, SigningKeys },
  examples: {
    Replayed: { events: 42, identical: true },
    Verified: {
      valid: false,
      line: 7,
      checks: { form: true, sequence: true, chain: false, definitions: true, signature: true, replay: false },
    },
    SigningKey: key,
    SigningKeys: { keys: [key] },
  },
})
