// Describes the API's answers about sessions.

import { z } from "zod"
import { SCOPES } from "../route/route.ts"
import { SignInBody } from "../sign-in.ts"
import { documented, Time } from "./shape.doc.ts"

export const WhoAmI = z.object({
  tenant: z.string().describe("The tenant."),
  by: z
    .string()
    .describe(
      "The name recorded with this caller's decisions: the session's person, the email that Cloudflare Access verified, or the name of the key.",
    ),
  via: z.enum(["session", "access", "key"]).describe("The caller's way of authentication."),
  key: z.string().describe("The name of the key behind the session."),
  scopes: z.array(z.enum(SCOPES)).describe("The caller's scopes."),
  until: Time.nullable().describe("When the session expires, unless its key expires earlier; null for a key."),
})
export type WhoAmI = z.output<typeof WhoAmI>

export const SignInShown = z.object({
  id: z.string().describe("The session's id, which gives no access."),
  by: z.string().describe("The person's name, or the name of the key."),
  key: z.string().describe("The name of the session's key."),
  key_id: z.string().nullable().describe("The id of that key; null for the key of local development."),
  created: Time.describe("When the session began."),
  until: Time.describe("When the session expires, unless its key expires earlier."),
  current: z.boolean().describe("Whether this is the session of the request."),
})
export type SignInShown = z.output<typeof SignInShown>

export const signInDoc = documented({
  parameters: { sign_in: { description: "The session's id from the list.", example: "sgn_5f0c2e9b7a1d4c3e" } },
  shapes: { SignInBody, SignInShown, WhoAmI },
  examples: {
    SignInBody: { name: "Anna" },
    SignInShown: {
      id: "si_4be1d2c3a59f08e7716cd024",
      by: "Anna",
      key: "console",
      key_id: "key_7c1x9q",
      created: "2026-11-23T09:00:00.000Z",
      until: "2026-11-23T21:00:00.000Z",
      current: true,
    },
    WhoAmI: {
      tenant: "acme",
      by: "Anna",
      via: "session",
      key: "console",
      scopes: ["runs:read", "interactions:answer"],
      until: "2026-11-23T21:00:00.000Z",
    },
  },
  fields: [[SignInBody, { name: "The person's name, recorded with their decisions; by default the name of the key." }]],
})
