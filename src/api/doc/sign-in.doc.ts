// What the API answers about sessions.

import { z } from "zod"
import { SCOPES } from "../route.ts"
import { SignInBody } from "../sign-in.ts"
import { documented, Time } from "./shape.doc.ts"

export const WhoAmI = z.object({
  tenant: z.string().describe("The tenant."),
  by: z
    .string()
    .describe(
      "Who is recorded with what this caller decides: the session's person, the email that Cloudflare Access verified, or the name of the key.",
    ),
  via: z.enum(["session", "access", "key"]).describe("How the caller proved itself."),
  key: z.string().describe("The name of the key whose rights these are."),
  scopes: z.array(z.enum(SCOPES)).describe("What the caller may do."),
  until: Time.nullable().describe("When the session ends, unless its key ends before; null for a key."),
})
export type WhoAmI = z.output<typeof WhoAmI>

export const signInDoc = documented({
  shapes: { SignInBody, WhoAmI },
  examples: {
    SignInBody: { name: "Anna" },
    WhoAmI: {
      tenant: "acme",
      by: "Anna",
      via: "session",
      key: "console",
      scopes: ["runs:read", "interactions:answer"],
      until: "2026-11-23T21:00:00.000Z",
    },
  },
  fields: [[SignInBody, { name: "The person's name, recorded with what they decide; the name of the key by default." }]],
})
