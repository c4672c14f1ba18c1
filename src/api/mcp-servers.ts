// A tenant's MCP servers [T27]: their tools become the tenant's when an administrator has approved the list.

import { z } from "zod"
import { parseApprovalRule } from "../core/policy/approval-rule.ts"
import type { ApprovalRule } from "../core/policy/policy.ts"
import { MAX_DEFINITION, within } from "../core/schema/bounded.ts"
import { NoBody, PAGE, words, type Routes } from "./route.ts"

const Approval = within(z.unknown(), MAX_DEFINITION).transform((value, c): ApprovalRule => {
  const rule = parseApprovalRule(value)
  if (rule.ok) return rule.value
  c.addIssue(rule.error.suggestion === undefined ? rule.error.message : `${rule.error.message} (${rule.error.suggestion})`)
  return z.NEVER
})

/** Headers that the protocol or the connection sets. */
const RESERVED_HEADERS =
  /^(mcp-.*|accept|content-type|last-event-id|host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|content-length|cf-.*|x-forwarded-.*)$/i

export const McpServerBody = z.strictObject({
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
        "is required: the scope of the vault whose value is sent. A server that a person connects has `grant: authorization_code` instead",
    })
    .refine((auth) => auth.grant === undefined || auth.scope === undefined || auth.client_id !== undefined, {
      path: ["scope"],
      message: "with `grant` it is the secret of the client that `client_id` names: leave it out, or add `client_id` and `issuer`",
    })
    .refine((auth) => auth.grant === undefined || (auth.header === undefined && auth.scheme === undefined), {
      message: "with `grant` the token goes where OAuth says: leave out `header` and `scheme`",
    })
    .refine((auth) => (auth.client_id === undefined) === (auth.issuer === undefined), "`client_id` and `issuer` belong together")
    .refine((auth) => auth.client_id === undefined || (auth.header === undefined && auth.scheme === undefined), {
      message: "with `client_id` the token goes where OAuth says: leave out `header` and `scheme`",
    })
    .exactOptional(),
  effect: z.enum(["none", "read", "write"]).exactOptional(),
  untrusted: z.boolean().exactOptional(),
  approval: Approval.exactOptional(),
  allow: z.array(z.string().min(1).max(128)).min(1).max(200).exactOptional(),
  timeout: z.int().min(1_000).max(600_000).exactOptional(),
  approve: z.boolean().exactOptional(),
})

export const ApproveBody = z.strictObject({
  hash: z.string().regex(/^[0-9a-f]{64}$/, "must be the SHA-256 that `pending` shows"),
})

const SERVER = { description: "The server, its tools, and what waits for approval.", body: "McpServer" } as const

export const mcpServers = {
  listMcpServers: {
    method: "GET",
    path: "/v1/mcp-servers",
    scope: "admin",
    tag: "Tools",
    summary: "List MCP servers",
    query: PAGE,
    answers: { 200: { description: "All servers.", body: "McpServer[]" } },
  },
  getMcpServer: {
    method: "GET",
    path: "/v1/mcp-servers/:server",
    scope: "admin",
    tag: "Tools",
    summary: "Read an MCP server",
    answers: { 200: SERVER },
  },
  putMcpServer: {
    method: "PUT",
    path: "/v1/mcp-servers/:server",
    scope: "admin",
    tag: "Tools",
    summary: "Register an MCP server; its list waits for approval unless `approve` is true",
    body: McpServerBody,
    answers: { 200: SERVER },
    problems: ["mcp_unreachable", "not_configured"],
  },
  deleteMcpServer: {
    method: "DELETE",
    path: "/v1/mcp-servers/:server",
    scope: "admin",
    tag: "Tools",
    summary: "Remove an MCP server and its tools",
    answers: { 204: { description: "Removed." } },
  },
  refreshMcpServer: {
    method: "POST",
    path: "/v1/mcp-servers/:server/refresh",
    scope: "admin",
    tag: "Tools",
    summary: "Ask an MCP server for its tools again; a changed list waits for approval",
    body: NoBody,
    answers: { 200: SERVER },
    problems: ["mcp_unreachable", "not_pending"],
  },
  approveMcpServer: {
    method: "POST",
    path: "/v1/mcp-servers/:server/approve",
    scope: "admin",
    tag: "Tools",
    summary: "Approve the list that waits, by its hash",
    body: ApproveBody,
    answers: { 200: SERVER },
    problems: ["not_pending", "mcp_unreachable"],
  },
  connectMcpServer: {
    method: "POST",
    path: "/v1/mcp-servers/:server/connect",
    scope: "admin",
    tag: "Tools",
    summary: "Get the address where a person connects an MCP server by OAuth",
    description:
      "Open the address in a browser within ten minutes and give your consent there. The authorization server sends the browser back here; then the server's tools are listed, and wait for approval. A second call makes the first address useless.",
    body: NoBody,
    answers: { 200: { description: "The address.", body: "McpConnect" } },
    problems: ["mcp_unreachable", "not_configured"],
  },
  finishMcpConnect: {
    method: "GET",
    path: "/v1/mcp-callback",
    scope: "open",
    tag: "Tools",
    summary: "Where an authorization server sends the person's browser back to",
    query: {
      state: words("What the address of `connect` had; it counts once.", 4_096),
      code: words("What the tokens are exchanged for.", 4_096),
      iss: words("The issuer [RFC 9207].", 2_048),
      error: words("Why there is no code."),
    },
    problems: ["invalid", "link_refused"],
    // Authorization servers add parameters of their own.
    anyQuery: true,
    answers: {
      200: { description: "A page: the server is connected.", body: { "text/html": "text" } },
    },
  },
} as const satisfies Routes
