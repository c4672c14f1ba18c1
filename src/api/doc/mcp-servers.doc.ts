// Describes the API's answers about MCP servers.

import { z } from "zod"
import { McpServerBody } from "../../core/project/mcp-server-body.ts"
import { ApproveBody } from "../mcp-servers.ts"
import { documented, Hash, JsonObject, Time } from "./shape.doc.ts"
import { AUTH_FIELDS } from "./tools.doc.ts"

export const McpTool = z.object({
  name: z.string().describe("The tool's name on its server."),
  label: z.string().exactOptional().describe("A name for people."),
  description: z.string().describe("What the tool does, in the server's words."),
  parameters: JsonObject.describe("JSON Schema of the arguments."),
  effect: z.string().describe("What a call changes outside: `none`, `read` or `write`."),
  tokens: z.number().describe("About how many tokens it takes in a prompt."),
})

export type McpTool = z.output<typeof McpTool>

export const McpServer = z.object({
  name: z.string().describe("The server's name."),
  url: z.string().describe("Its streamable HTTP endpoint."),
  auth: z
    .object({
      scope: z.string().exactOptional().describe("The scope of the vault; its newest value is sent."),
      grant: z.literal("authorization_code").exactOptional().describe("A person connects the server."),
      header: z.string().exactOptional().describe("The header that carries it."),
      scheme: z.string().exactOptional().describe("The word before the value."),
      client_id: z.string().exactOptional().describe("The OAuth client whose secret the scope has."),
      issuer: z.string().exactOptional().describe("The authorization server that gets the secret."),
    })
    .exactOptional()
    .describe("How requests carry a secret."),
  effect: z.string().exactOptional().describe("What calls of its tools change outside, whatever the server says."),
  untrusted: z.boolean().exactOptional().describe("Whether its answers come from outside and taint their readers."),
  approval: z.json().exactOptional().describe("When a call needs a person's approval."),
  allow: z.array(z.string()).exactOptional().describe("Patterns of its tools that are registered; without it, all of them."),
  timeout: z.number().exactOptional().describe("Milliseconds that a call may take."),
  hash: Hash.describe("SHA-256 of the approved list, in hexadecimal; that of an empty list before the first approval."),
  tools: z.array(McpTool).describe("The approved tools."),
  checked: Time.describe("When the server was last asked for its tools."),
  left_out: z
    .array(z.object({ tool: z.string().describe("The tool's name."), reason: z.string().describe("Why it is not registered.") }))
    .describe("Tools that cannot be registered."),
  connection: z
    .object({
      status: z
        .enum(["needed", "connected", "expired"])
        .describe("`needed`: nobody has connected it yet. `expired`: the authorization server takes the connection no more."),
      issuer: z.string().exactOptional().describe("The authorization server."),
      scope: z.string().exactOptional().describe("What was asked for or granted."),
      since: Time.exactOptional().describe("When a person connected it."),
    })
    .exactOptional()
    .describe("Of a server that a person connects."),
  pending: z
    .object({
      added: z.array(z.string()).describe("Tools that are new."),
      removed: z.array(z.string()).describe("Tools that are gone."),
      changed: z.array(z.string()).describe("Tools whose description or parameters are different."),
      hash: Hash.describe("SHA-256 of the new list, in hexadecimal: approve it by this hash."),
      tools: z.array(McpTool).describe("The new list."),
    })
    .exactOptional()
    .describe("A list that is not the approved one and waits for approval."),
})

export type McpServer = z.output<typeof McpServer>

export const McpConnect = z.object({
  url: z.url().describe("A page of the authorization server: open it in a browser."),
  expires: Time.describe("When the address stops working."),
})

export type McpConnect = z.output<typeof McpConnect>

const HASH = "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"

const OAUTH_FIELDS = {
  ...AUTH_FIELDS,
  grant:
    "`authorization_code`: a person connects the server by OAuth, see `POST …/connect`. Without `auth`, a server that asks for OAuth gets it by itself.",
  client_id: "An OAuth client: the scope has its secret, and requests carry a token that it gets by client credentials.",
  issuer: "With `client_id`: the authorization server, which alone gets the secret, whatever the MCP server says.",
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
    [ApproveBody, { hash: "The hash that `pending` shows: only the list that you saw is approved." }],
    [
      McpServerBody,
      {
        url: "The server's streamable HTTP endpoint.",
        auth: ["How requests carry a secret.", OAUTH_FIELDS],
        effect: "What calls of its tools change outside, in place of what the server says.",
        untrusted: "Whether its answers come from outside and taint their readers; true by default.",
        approval: "When a call needs a person's approval: `never`, `always`, or a condition.",
        allow: "Patterns of its tools to register; without it, all of them.",
        timeout: "Milliseconds that a call may take.",
        approve: "Whether the list that the server answers now is approved unseen; without it, a list that is not approved yet waits.",
      },
    ],
  ],
})
