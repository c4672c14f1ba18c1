// Describes the API's answers about MCP servers.

import { z } from "zod"
import { McpServerBody } from "../../core/project/mcp-server-body.ts"
import { ApproveBody } from "../mcp-servers.ts"
import { documented, Hash, JsonObject, Time } from "./shape.doc.ts"
import { AUTH_FIELDS } from "./tools.doc.ts"

export const McpTool = z.object({
  name: z.string().describe("The tool's name on its server."),
  label: z.string().exactOptional().describe("The display name."),
  description: z.string().describe("The server's description of the tool."),
  parameters: JsonObject.describe("JSON Schema of the arguments."),
  effect: z.string().describe("The effect of a call outside: `none`, `read` or `write`."),
  tokens: z.number().describe("The approximate number of its tokens in a prompt."),
})

export type McpTool = z.output<typeof McpTool>

export const McpServer = z.object({
  name: z.string().describe("The server's name."),
  url: z.string().describe("Its streamable HTTP endpoint."),
  auth: z
    .object({
      scope: z.string().exactOptional().describe("The name (scope) of the secret in the vault; its newest value is sent."),
      grant: z.literal("authorization_code").exactOptional().describe("Whether a person connects the server."),
      header: z.string().exactOptional().describe("The header of the secret."),
      scheme: z.string().exactOptional().describe("The prefix of the value."),
      client_id: z.string().exactOptional().describe("The OAuth client whose secret is in the scope."),
      issuer: z.string().exactOptional().describe("The authorization server that gets the secret."),
    })
    .exactOptional()
    .describe("How requests send a secret."),
  effect: z.string().exactOptional().describe("The effect of its tools outside, whatever the server declares."),
  untrusted: z.boolean().exactOptional().describe("Whether its results come from outside and taint their readers."),
  approval: z.json().exactOptional().describe("When a call needs a person's approval."),
  allow: z.array(z.string()).exactOptional().describe("Patterns of registered tools; by default all."),
  timeout: z.number().exactOptional().describe("The timeout of a call in milliseconds."),
  hash: Hash.describe("SHA-256 of the approved list, in hexadecimal; that of an empty list before the first approval."),
  tools: z.array(McpTool).describe("The approved tools."),
  checked: Time.describe("When the list of tools was last fetched."),
  left_out: z
    .array(z.object({ tool: z.string().describe("The tool's name."), reason: z.string().describe("Why the tool is not registered.") }))
    .describe("Tools that cannot be registered."),
  connection: z
    .object({
      status: z
        .enum(["needed", "connected", "expired"])
        .describe("`needed`: nobody has connected the server yet. `expired`: the authorization server no longer accepts the connection."),
      issuer: z.string().exactOptional().describe("The authorization server."),
      scope: z.string().exactOptional().describe("The requested or granted scope."),
      since: Time.exactOptional().describe("When a person connected the server."),
    })
    .exactOptional()
    .describe("The connection of a server that a person connects."),
  pending: z
    .object({
      added: z.array(z.string()).describe("Tools that are new."),
      removed: z.array(z.string()).describe("Tools that were removed."),
      changed: z.array(z.string()).describe("Tools with a changed description or parameters."),
      hash: Hash.describe("SHA-256 of the new list, in hexadecimal: approve it by this hash."),
      tools: z.array(McpTool).describe("The new list."),
    })
    .exactOptional()
    .describe("A changed list that waits for approval."),
})

export type McpServer = z.output<typeof McpServer>

export const McpConnect = z.object({
  url: z.url().describe("The authorization server's page to open in a browser."),
  expires: Time.describe("When the address expires."),
})

export type McpConnect = z.output<typeof McpConnect>

const HASH = "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"

const OAUTH_FIELDS = {
  ...AUTH_FIELDS,
  grant:
    "`authorization_code`: a person connects the server by OAuth, see `POST …/connect`. Without `auth`, a server that requires OAuth gets this automatically.",
  client_id: "An OAuth client: the scope has its secret, and requests use a token from client credentials.",
  issuer: "With `client_id`: the authorization server, the only receiver of the secret, whatever the MCP server says.",
}

export const mcpServersDoc = documented({
  parameters: { server: { description: "The server's name.", example: "docs" } },
  shapes: { ApproveBody, McpConnect, McpServer, McpServerBody, McpTool },
  examples: {
    ApproveBody: { hash: HASH },
    McpConnect: { url: "https://login.docs.example/authorize?client_id=c1&state=eyJ0ZW5hbnQi", expires: "2026-11-22T09:10:00.000Z" },
    McpServer: {
      name: "docs",
      url: "https://mcp.docs.example/mcp",
      auth: { scope: "docs" },
      hash: HASH,
      tools: [{ name: "search", description: "Searches the documentation.", parameters: { type: "object" }, effect: "read", tokens: 13 }],
      checked: "2026-11-22T09:00:00.000Z",
      left_out: [],
    },
    McpServerBody: { url: "https://mcp.docs.example/mcp", auth: { scope: "docs" }, effect: "read", allow: ["search"] },
    McpTool: { name: "search", description: "Searches the documentation.", parameters: { type: "object" }, effect: "read", tokens: 13 },
  },
  fields: [
    [ApproveBody, { hash: "The hash in `pending`: only the list that you saw is approved." }],
    [
      McpServerBody,
      {
        url: "The server's streamable HTTP endpoint.",
        auth: ["How requests send a secret.", OAUTH_FIELDS],
        effect: "The effect of its tools outside, instead of what the server declares.",
        untrusted: "Whether its results come from outside and taint their readers; true by default.",
        approval: "When a call needs a person's approval: `never`, `always`, or a condition.",
        allow: "Patterns of tools to register; by default all.",
        timeout: "The timeout of a call in milliseconds.",
        approve: "Whether to approve the server's current list unseen; by default a new list waits for approval.",
      },
    ],
  ],
})
