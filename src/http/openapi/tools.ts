// Tools, MCP servers and shared files: how each route of theirs is described.

import { z } from "zod"
import { Registration } from "../../core/tool/http-tool.ts"
import { Seen, Settings } from "../tools/mcp-servers.ts"
import { Import } from "../tools/registered-tools.ts"
import { NoBody } from "../runs/runs.ts"
import { McpServer, ObjectRow, ObjectWritten, ToolAnswer, ToolRow, ToolsImported, ToolWritten } from "./catalog-shapes.ts"
import { PAGE, PREFER, limitTo } from "./parameters.ts"
import { JsonObject, listOf } from "./shapes.ts"
import type { Table } from "./told.ts"

const server = { says: "The server, its tools, and what waits for an approval.", body: McpServer }

export const TOOLS: Table = {
  "GET /v1/tools": {
    id: "listTools",
    tag: "Tools",
    does: "List tools, whether they can be called here and why not",
    query: { ...PAGE, explain: { schema: z.enum(["0", "1"]), says: "1 lists those too that this instance offers to nobody." } },
    answers: { 200: { says: "All tools.", body: listOf(ToolRow) } },
  },
  "POST /v1/tools/{tool}": {
    id: "callTool",
    tag: "Tools",
    does: "Call a tool from outside a run",
    more: "The body is the tool's arguments. A tool that fails is a 200 with `isError`. `agent_write` and `flow_write` need `catalog:write` too.",
    query: { workspace: { schema: z.string(), says: "Of file tools: the tenant's files by this name to work on." } },
    headers: { prefer: PREFER },
    body: JsonObject,
    optional: true,
    answers: {
      200: { says: "What the tool answered.", body: z.union([ToolAnswer, JsonObject, z.array(JsonObject)]) },
      202: { says: "A person is asked, or a child run goes on.", body: JsonObject, headers: ["location"] },
    },
    refuses: ["policy", "approval_required", "not_configured", "not_started", "quota", "outcome_unknown"],
  },
  "PUT /v1/tools/{tool}": {
    id: "putTool",
    tag: "Tools",
    does: "Register an HTTP tool of one's own",
    body: Registration,
    answers: { 200: { says: "Replaced.", body: ToolWritten }, 201: { says: "Registered.", body: ToolWritten } },
    refuses: ["taken"],
  },
  "DELETE /v1/tools/{tool}": {
    id: "deleteTool",
    tag: "Tools",
    does: "Remove a registered tool",
    answers: { 204: { says: "Removed." } },
  },
  "POST /v1/tools/import": {
    id: "importTools",
    tag: "Tools",
    does: "Register the operations of an OpenAPI document as tools, all or nothing",
    body: Import,
    answers: { 201: { says: "What was registered, and what was left out and why.", body: ToolsImported } },
    refuses: ["taken"],
  },
  "GET /v1/objects": {
    id: "listObjects",
    tag: "Tools",
    does: "List shared files",
    query: {
      limit: limitTo(1000, 100),
      cursor: { schema: z.string(), says: "`next_cursor` of the page before." },
      prefix: { schema: z.string(), says: "Of this folder." },
    },
    answers: { 200: { says: "A page of files, by key.", body: listOf(ObjectRow) } },
    refuses: ["not_configured"],
  },
  "PUT /v1/objects/{key}": {
    id: "putObject",
    tag: "Tools",
    does: "Write a shared file",
    query: { untrusted: { schema: z.enum(["0", "1"]), says: "1: its text is from outside, and taints who reads it." } },
    body: { "*/*": "bytes" },
    answers: { 200: { says: "Written.", body: ObjectWritten } },
    refuses: ["not_configured", "storage_full"],
  },
  "DELETE /v1/objects/{key}": {
    id: "deleteObject",
    tag: "Tools",
    does: "Remove a shared file",
    answers: { 204: { says: "Removed." } },
  },
  "GET /v1/mcp-servers": {
    id: "listMcpServers",
    tag: "Tools",
    does: "List MCP servers",
    query: PAGE,
    answers: { 200: { says: "All of them.", body: listOf(McpServer) } },
  },
  "GET /v1/mcp-servers/{server}": {
    id: "getMcpServer",
    tag: "Tools",
    does: "Look at an MCP server",
    answers: { 200: server },
  },
  "PUT /v1/mcp-servers/{server}": {
    id: "putMcpServer",
    tag: "Tools",
    does: "Register an MCP server: it is asked for its tools, and they are approved as it lists them",
    body: Settings,
    answers: { 200: server },
    refuses: ["mcp_unreachable"],
  },
  "DELETE /v1/mcp-servers/{server}": {
    id: "deleteMcpServer",
    tag: "Tools",
    does: "Remove an MCP server and its tools",
    answers: { 204: { says: "Removed." } },
  },
  "POST /v1/mcp-servers/{server}/refresh": {
    id: "refreshMcpServer",
    tag: "Tools",
    does: "Ask an MCP server again; a changed list waits for an approval",
    body: NoBody,
    answers: { 200: server },
    refuses: ["mcp_unreachable", "not_pending"],
  },
  "POST /v1/mcp-servers/{server}/approve": {
    id: "approveMcpServer",
    tag: "Tools",
    does: "Approve the list that was seen, by its hash",
    body: Seen,
    answers: { 200: server },
    refuses: ["not_pending", "mcp_unreachable"],
  },
}
