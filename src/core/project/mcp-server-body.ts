// Defines the registration of an MCP server [T27]: the body of `PUT /v1/mcp-servers/NAME`, and a file `tools/NAME.yaml` that has its `url`.

import { z } from "zod"
import { parseApprovalRule } from "../tool/policy/approval-rule.ts"
import type { ApprovalRule } from "../tool/policy/policy.ts"
import { MAX_DEFINITION, within } from "../schema/bounded.ts"
import { later } from "../schema/later.ts"

const Approval = within(z.unknown(), MAX_DEFINITION).transform((value, c): ApprovalRule => {
  const rule = parseApprovalRule(value)
  if (rule.ok) return rule.value
  c.addIssue(rule.error.suggestion === undefined ? rule.error.message : `${rule.error.message} (${rule.error.suggestion})`)
  return z.NEVER
})

/** Headers that the protocol or the connection sets. */
const RESERVED_HEADERS =
  /^(mcp-.*|accept|content-type|last-event-id|host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|content-length|cf-.*|x-forwarded-.*)$/i

export const McpServerBody = later(() =>
  z.strictObject({
    url: z
      .string()
      .min(1)
      .max(2048)
      .transform((text, c) => {
        if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return new URL(text).href
        c.addIssue("must be the http(s) address of the server's streamable HTTP endpoint")
        return z.NEVER
      }),
    auth: z
      .strictObject({
        scope: z
          .string()
          .regex(/^[A-Za-z0-9_.-]{1,64}$/, "must be the name of a secret's scope")
          .exactOptional(),
        grant: z.enum(["authorization_code"]).exactOptional(),
        header: z
          .string()
          .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, "must be the name of a header")
          .refine((name) => !RESERVED_HEADERS.test(name), "must not be a header that the protocol or the connection sets")
          .exactOptional(),
        scheme: z
          .string()
          .regex(/^[A-Za-z0-9_-]{0,40}$/, "must be one word, such as Bearer")
          .exactOptional(),
        client_id: z.string().min(1).max(256).exactOptional(),
        issuer: z
          .url({ protocol: /^https?$/ })
          .max(2048)
          .exactOptional(),
      })
      .refine((auth) => auth.scope !== undefined || auth.grant !== undefined, {
        path: ["scope"],
        message:
          "is required: the vault scope whose secret is sent. A server that a person connects has `grant: authorization_code` instead",
      })
      .refine((auth) => auth.grant === undefined || auth.scope === undefined || auth.client_id !== undefined, {
        path: ["scope"],
        message: "with `grant`, it must be the secret of the client in `client_id`: leave it out, or add `client_id` and `issuer`",
      })
      .refine((auth) => auth.grant === undefined || (auth.header === undefined && auth.scheme === undefined), {
        message: "with `grant`, OAuth decides where the token is sent: leave out `header` and `scheme`",
      })
      .refine((auth) => (auth.client_id === undefined) === (auth.issuer === undefined), "`client_id` and `issuer` belong together")
      .refine((auth) => auth.client_id === undefined || (auth.header === undefined && auth.scheme === undefined), {
        message: "with `client_id`, OAuth decides where the token is sent: leave out `header` and `scheme`",
      })
      .exactOptional(),
    effect: z.enum(["none", "read", "write"]).exactOptional(),
    untrusted: z.boolean().exactOptional(),
    approval: Approval.exactOptional(),
    allow: z.array(z.string().min(1).max(128)).min(1).max(200).exactOptional(),
    timeout: z.int().min(1_000).max(600_000).exactOptional(),
    approve: z.boolean().exactOptional(),
  }),
)
