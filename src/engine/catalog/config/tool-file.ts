// Reads a file `tools/NAME.yaml` [F79]: one HTTP tool, the operations of an OpenAPI document, or an MCP server, depending on its fields.
// Each has the fields of its request, and the name of the tool or of the server is that of the file.

import { z } from "zod"
import { defined } from "../../../core/defined.ts"
import { importOpenApi, NO_OPERATION, type Imported } from "../../../core/tool/openapi.ts"
import { isObject, type Json } from "../../../core/json.ts"
import { lintTool } from "../../../core/tool/lint-tool.ts"
import { isServerName, type McpServerSettings } from "../../../core/tool/mcp-tool.ts"
import { McpServerBody } from "../../../core/project/mcp-server-body.ts"
import { OpenApiFile } from "../../../core/project/openapi-import.ts"
import type { Pieces } from "../../../core/pieces.ts"
import { readHttpTool, Registration } from "../../../core/tool/http-tool.ts"
import { err, ok, type Result } from "../../../core/result.ts"
import { later } from "../../../core/schema/later.ts"
import { bodyFaults, type BodyFault } from "../../../core/schema/body-faults.ts"
import { specOf } from "../registered-tools.ts"
import type { HttpToolDef } from "../../../core/tool/tool-def.ts"
import { TOOL_NAME } from "../../../core/tool/tool-name.ts"

export type ToolFile =
  | { readonly type: "http"; readonly defs: readonly HttpToolDef[] }
  | { readonly type: "openapi"; readonly defs: readonly HttpToolDef[] }
  | { readonly type: "mcp"; readonly settings: McpServerSettings; readonly approve: boolean }

interface Read {
  readonly value: ToolFile
  /** What an author should know, though the file is good. */
  readonly notes: readonly BodyFault[]
}

/** The body of a tools file of any kind. */
export const TOOL_BODY = later(() => z.union([Registration, OpenApiFile, McpServerBody]))

const MOST_FAULTS = 100 // limit: faults told of a file of tools → further ones are not told
/** Of one file: a large document leaves out much for the same reason. */
const MOST_NOTES = 50 // limit: operations of a file's document that are told to make no tool → further ones are not told

export function readToolFile(name: string, json: Json): Result<Read, readonly BodyFault[]> {
  if (isObject(json)) {
    if ("request" in json) return httpTool(name, json)
    if ("openapi" in json) return operations(json)
    if ("url" in json) return server(name, json)
  }
  const message = "must have `request` (an HTTP tool), `openapi` (a document whose operations are tools) or `url` (an MCP server)"
  return err([{ pointer: "", message }])
}

function httpTool(name: string, json: Json): Result<Read, readonly BodyFault[]> {
  if (!TOOL_NAME.test(name)) return err([{ pointer: "", message: "must have a name of at most 64 characters that starts with a letter" }])
  const read = readHttpTool(name, json)
  if (!read.ok) return read
  const notes = lintTool(specOf(read.value)).map(({ pointer, message }) => ({ pointer: pointer === "/name" ? "" : pointer, message }))
  return ok({ value: { type: "http", defs: [read.value] }, notes })
}

function operations(json: Json): Result<Read, readonly BodyFault[]> {
  const body = OpenApiFile.safeParse(json)
  if (!body.success) return err(bodyFaults(OpenApiFile, json, body.error.issues, MOST_FAULTS))
  const { openapi, ...options } = body.data
  if (typeof openapi === "string" && /^https?:\/\/\S+$/.test(openapi.trim()))
    return err([
      {
        pointer: "/openapi",
        message: "is an address, but a file must contain the document itself, because a revision must not change",
        suggestion: "write the document below `openapi:`, or after `openapi: |` as it is",
      },
    ])
  // One word is no document, whatever it ends with.
  if (typeof openapi === "string" && /^[^\s{}[\]]+$/.test(openapi.trim()))
    return err([
      {
        pointer: "/openapi",
        message: `names the file ${openapi.trim()}, which the project does not have`,
        suggestion:
          "its path in the project, from which the command line puts in the document; over HTTP, write the document itself below `openapi:`",
      },
    ])
  const imported = finished(importOpenApi(openapi, options))
  if (!imported.ok) return err([{ pointer: imported.error.startsWith(NO_OPERATION) ? "/only" : "/openapi", message: imported.error }])
  return tools(imported.value)
}

function tools({ tools, skipped }: Imported): Result<Read, readonly BodyFault[]> {
  const defs: HttpToolDef[] = []
  const faults: BodyFault[] = []
  for (const { name, operation, registration } of tools) {
    const def = readHttpTool(name, registration)
    if (def.ok) defs.push(def.value)
    else for (const { pointer, message } of def.error) faults.push({ pointer: "/openapi", message: `${operation}: ${pointer} ${message}` })
  }
  if (faults.length > 0) return err(faults.slice(0, MOST_FAULTS))
  const notes = skipped.slice(0, MOST_NOTES).map(({ operation, reason }) => ({
    pointer: "/openapi",
    message: `makes no tool of ${operation}: ${reason}`,
  }))
  return ok({ value: { type: "openapi", defs }, notes })
}

function server(name: string, json: Json): Result<Read, readonly BodyFault[]> {
  if (!isServerName(name)) return err([{ pointer: "", message: "must have a name of at most 63 characters that starts with a letter" }])
  const body = McpServerBody.safeParse(json)
  if (!body.success) return err(bodyFaults(McpServerBody, json, body.error.issues, MOST_FAULTS))
  const { approve = false, ...settings } = body.data
  return ok({ value: { type: "mcp", settings, approve }, notes: [] })
}

/** The file is bounded, so its pieces are: its check as a whole takes its turn. */
function finished<T>(pieces: Pieces<T>): T {
  for (;;) {
    const step = pieces.next()
    if (step.done === true) return step.value
  }
}

/** The names of the file's tools; those of a server are known only after it was asked. */
export const namesIn = (file: ToolFile): readonly string[] => (file.type === "mcp" ? [] : file.defs.map(({ name }) => name))

/** The needs of the tools' calls, by place in the file. */
export function neededBy(file: ToolFile): { readonly scope?: string; readonly urls: readonly { pointer: string; url: string }[] } {
  if (file.type === "mcp") {
    const { url, auth } = file.settings
    const urls = [{ pointer: "/url", url }, ...(auth?.issuer === undefined ? [] : [{ pointer: "/auth/issuer", url: auth.issuer }])]
    return { urls, ...defined({ scope: auth?.scope }) }
  }
  const scope = file.defs.find(({ auth }) => auth !== undefined)?.auth?.scope
  const pointer = file.type === "http" ? "/request/url" : "/openapi"
  // Operations of one document share their host, which alone is judged.
  const urls = new Map(file.defs.map(({ request: { url } }) => [/^[a-z]+:\/\/[^/?#]*/i.exec(url)?.[0] ?? url, url]))
  return { urls: [...urls.values()].map((url) => ({ pointer, url: url.replace(/\$\{\{[^}]*\}\}/g, "x") })), ...defined({ scope }) }
}
