// Declares tools called from outside a run, a tenant's own HTTP tools, and shared files.

import { z } from "zod"
import { IMPORT_OPTIONS, OpenApiDocument } from "../core/project/openapi-import.ts"
import { flag, LARGE_BODY, limitTo, CURSOR, PAGE, PREFER, words, type Routes } from "./route/route.ts"

export const ImportToolsBody = z.strictObject({
  openapi: OpenApiDocument.exactOptional(),
  url: z
    .url({ protocol: /^https?$/ })
    .max(2_000)
    .exactOptional(),
  ...IMPORT_OPTIONS,
})

/** The type of the request body for clients. */
export type ImportToolsGiven = z.input<typeof ImportToolsBody>

export const tools = {
  listTools: {
    method: "GET",
    path: "/v1/tools",
    scope: "tools:call",
    tag: "Tools",
    summary: "List tools: whether each can be called here, and why not",
    query: { ...PAGE, explain: flag("1 also lists tools that this instance hides from agents.") },
    answers: { 200: { description: "All tools.", body: "ToolRow[]" } },
  },
  importTools: {
    method: "POST",
    path: "/v1/tools/import",
    bodyLimit: LARGE_BODY,
    readsEncoding: true,
    scope: "admin",
    tag: "Tools",
    summary: "Register the operations of an OpenAPI document as tools, all or nothing",
    description:
      "The document is OpenAPI 3 or Swagger 2.0, as JSON or YAML: in the body as `openapi`, or fetched from `url`. The body may be compressed with gzip.",
    query: { dry: flag("1 registers nothing, and returns the tokens of each tool in a prompt.") },
    headers: { "content-encoding": { description: "`gzip` for a compressed body.", schema: { type: "string", maxLength: 20 } } },
    body: ImportToolsBody,
    answers: {
      200: { description: "With `dry=1`: what would be registered, and what would be left out.", body: "ToolsPreview" },
      201: { description: "What was registered, what was left out, and why.", body: "ToolsImported" },
    },
    problems: ["taken", "owned_by_file"],
  },
  getTool: {
    method: "GET",
    path: "/v1/tools/:tool",
    scope: "tools:call",
    tag: "Tools",
    summary: "Read a tool's definition: whether it can be called here, and why not",
    answers: { 200: { description: "The tool.", body: "ToolDetail" } },
  },
  callTool: {
    method: "POST",
    path: "/v1/tools/:tool",
    scope: "tools:call",
    tag: "Tools",
    summary: "Call a tool from outside a run",
    description:
      "The body is the tool's arguments. A tool that fails answers 200 with `isError`. A tool that does the work of another route also needs that route's scope: `agent_write` and `flow_write` `catalog:write`, `skill_read` `catalog:read`, `sessions.list` `runs:read`, `sessions.delete` and `subagent` `runs:write`.",
    query: { workspace: words("For file tools: the name of the tenant's workspace to work on.", 300) },
    headers: { prefer: PREFER },
    media: { "application/json": "object" },
    optional: true,
    answers: {
      200: { description: "The tool's result.", body: "ToolCalled" },
      202: { description: "A person is asked, or a child run continues.", body: "object", headers: ["location"] },
    },
    problems: ["policy", "approval_required", "not_configured", "not_started", "quota", "outcome_unknown"],
  },
  putTool: {
    method: "PUT",
    path: "/v1/tools/:tool",
    scope: "admin",
    tag: "Tools",
    summary: "Register your own HTTP tool",
    media: { "application/json": "Registration" },
    answers: {
      200: { description: "Replaced.", body: "ToolWritten" },
      201: { description: "Registered.", body: "ToolWritten" },
    },
    problems: ["taken", "owned_by_file"],
  },
  deleteTool: {
    method: "DELETE",
    path: "/v1/tools/:tool",
    scope: "admin",
    tag: "Tools",
    summary: "Remove a registered tool",
    answers: { 204: { description: "Removed." } },
    problems: ["owned_by_file"],
  },
  listObjects: {
    method: "GET",
    path: "/v1/objects",
    scope: "tools:call",
    tag: "Tools",
    summary: "List shared files",
    query: {
      limit: limitTo(1000, 100),
      cursor: CURSOR,
      prefix: words("Only files in this folder.", 1_024),
    },
    answers: { 200: { description: "A page of files, by key.", body: "ObjectRow[]" } },
    problems: ["not_configured"],
  },
  putObject: {
    method: "PUT",
    path: "/v1/objects/:key{.+}",
    scope: "tools:call",
    tag: "Tools",
    summary: "Write a shared file",
    query: { untrusted: flag("1 marks the file's text as coming from outside, which taints its readers.") },
    media: { "*/*": "bytes" },
    answers: { 200: { description: "Written.", body: "ObjectWritten" } },
    problems: ["not_configured", "storage_full"],
  },
  deleteObject: {
    method: "DELETE",
    path: "/v1/objects/:key{.+}",
    scope: "tools:call",
    tag: "Tools",
    summary: "Remove a shared file",
    answers: { 204: { description: "Removed." } },
  },
  openFileLink: {
    method: "GET",
    path: "/d/:token",
    scope: "open",
    tag: "Tools",
    summary: "Download a shared file by its signed link",
    anyQuery: true,
    answers: { 200: { description: "The file, as a download.", body: { "*/*": "bytes" }, headers: ["content-disposition"] } },
    problems: ["link_refused", "not_found"],
  },
} as const satisfies Routes
