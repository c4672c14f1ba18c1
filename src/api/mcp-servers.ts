// Declares a tenant's MCP servers [T27]: their tools become the tenant's once an administrator has approved the list.

import { z } from "zod"
import { McpServerBody } from "../core/project/mcp-server-body.ts"
import { flag, NoBody, PAGE, words, type Routes } from "./route/route.ts"

/** The type of the request body for clients. */
export type McpServerGiven = z.input<typeof McpServerBody>

export const ApproveBody = z.strictObject({
  hash: z.string().regex(/^[0-9a-f]{64}$/, "must be the SHA-256 that `pending` shows"),
})

const SERVER = { description: "The server, its tools, and the list that waits for approval.", body: "McpServer" } as const

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
    query: { dry: flag("1 fetches the server's tools, returns the list that would wait, and stores nothing.") },
    body: McpServerBody,
    answers: { 200: SERVER },
    problems: ["mcp_unreachable", "not_configured", "owned_by_file"],
  },
  deleteMcpServer: {
    method: "DELETE",
    path: "/v1/mcp-servers/:server",
    scope: "admin",
    tag: "Tools",
    summary: "Remove an MCP server and its tools",
    answers: { 204: { description: "Removed." } },
    problems: ["owned_by_file"],
  },
  refreshMcpServer: {
    method: "POST",
    path: "/v1/mcp-servers/:server/refresh",
    scope: "admin",
    tag: "Tools",
    summary: "Fetch an MCP server's tools again; a changed list waits for approval",
    body: NoBody,
    answers: { 200: SERVER },
    problems: ["mcp_unreachable", "not_pending"],
  },
  approveMcpServer: {
    method: "POST",
    path: "/v1/mcp-servers/:server/approve",
    scope: "admin",
    tag: "Tools",
    summary: "Approve the waiting list by its hash",
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
      "Open the address in a browser within ten minutes and give your consent there. The authorization server sends the browser back here; then the server's tools are listed, and wait for approval. A second call invalidates the first address.",
    body: NoBody,
    answers: { 200: { description: "The address.", body: "McpConnect" } },
    problems: ["mcp_unreachable", "not_configured"],
  },
  finishMcpConnect: {
    method: "GET",
    path: "/v1/mcp-callback",
    scope: "open",
    tag: "Tools",
    summary: "Receive the browser from an authorization server",
    query: {
      state: words("The state from the address of `connect`, valid once.", 4_096),
      code: words("The code that is exchanged for the tokens.", 4_096),
      iss: words("The issuer [RFC 9207].", 2_048),
      error: words("The error if there is no code."),
    },
    problems: ["invalid", "link_refused"],
    // Authorization servers add parameters of their own.
    anyQuery: true,
    answers: {
      200: { description: "A page: the server is connected.", body: { "text/html": "text" } },
    },
  },
} as const satisfies Routes
