// Serves a tenant's own HTTP tools [T26]: register, replace, remove, and import many from an OpenAPI document. A registered tool acts with
// the tenant's rights from the next start of a run, so only administrators write them.

import type { Json } from "../../core/json.ts"
import { ok } from "../../core/result.ts"
import { readHttpTool } from "../../core/tool/http-tool.ts"
import { lintTool } from "../../core/tool/lint-tool.ts"
import { importOpenApi, weightOf, type Imported } from "../../core/tool/openapi.ts"
import type { HttpToolDef, ToolDef } from "../../core/tool/tool-def.ts"
import { isTaken, TOOL_NAME } from "../../core/tool/tool-name.ts"
import { cutAt } from "../../core/text/cut-at.ts"
import { hostOf } from "../../core/text/web-address.ts"
import { judgeAddress } from "../../engine/net/address-guard.ts"
import { specOf } from "../../engine/catalog/registered-tools.ts"
import { Breath } from "../../ports/breath.ts"
import { MAX_TOOL_CHARS, MAX_TOOLS, type RegisteredTool } from "../../ports/tenant/tool-catalog.ts"
import { outward } from "../middleware/outward.ts"
import { json, parseJson } from "../middleware/body.ts"
import { param, routes, type Call } from "../middleware/call.ts"
import { invalid, NOT_FOUND, refuse, type Fault, type Refusal } from "../middleware/problem.ts"
import { documentAt, unpackedBody } from "./openapi-source.ts"
import { rowOf } from "./tools.ts"
import { ImportToolsBody, tools } from "../../api/tools.ts"
import { defined } from "../../core/defined.ts"

const MAX_SHOWN = 200 // limit: characters of a description in a preview of an import → cut

export async function putTool(c: Call): Promise<Response> {
  const name = param(c, "tool")
  const refusal = nameFault(c, name)
  if (refusal) return refuse(c, refusal)
  const body = parseJson(c, "definition")
  if (!body.ok) return refuse(c, body.error)
  const read = readHttpTool(name, body.value)
  if (!read.ok) return refuse(c, invalid(read.error))
  const address = addressFault(c, read.value)
  if (address) return refuse(c, invalid([{ pointer: "/request/url", ...address }]))
  const { registered } = c.get("tenant")
  const before = await registered.registered()
  if (isTooMuch(before, [read.value])) return refuse(c, TOO_MUCH)
  await registered.register([read.value])
  const spec = specOf(read.value)
  const warnings = lintTool(spec)
  return c.json({ ...rowOf(spec), ...(warnings.length === 0 ? {} : { warnings }) }, before.some((tool) => tool.name === name) ? 200 : 201)
}

export async function deleteTool(c: Call): Promise<Response> {
  const name = param(c, "tool")
  const { registered } = c.get("tenant")
  // A server's tools are removed with their server.
  const gone = !name.startsWith("mcp:") && (await registered.unregister(name))
  return gone ? c.body(null, 204) : refuse(c, NOT_FOUND)
}

/** All or nothing: a name that is taken, or an address that is refused, stops the whole import. */
export async function importTools(c: Call): Promise<Response> {
  const dry = c.req.query("dry")
  if (dry !== undefined && dry !== "1" && dry !== "0") return refuse(c, invalid([{ pointer: "?dry", message: "must be 1 or 0" }]))
  const packed = await unpackedBody(c)
  if (!packed.ok) return refuse(c, packed.error)
  const body = json(c, ImportToolsBody, "definition")
  if (!body.ok) return refuse(c, body.error)
  const { openapi, url, ...options } = body.value
  if ((openapi === undefined) === (url === undefined))
    return refuse(c, invalid([{ pointer: "/openapi", message: 'must be given, or "url" with the address of the document, but not both' }]))
  const document = url === undefined ? ok(openapi) : await documentAt(c, url)
  if (!document.ok) return refuse(c, document.error)
  // [N4] A megabyte of operations takes half a second.
  const read = await new Breath().through(importOpenApi(document.value, { ...options, ...defined({ from: url }) }))
  if (!read.ok) return refuse(c, invalid([{ pointer: url === undefined ? "/openapi" : "/url", message: read.error }]))
  const { defs, faults, taken } = judged(c, read.value)
  if (dry === "1") return c.json(preview(read.value, defs, faults))
  if (faults.length > 0) {
    const listed = faults.map(({ operation, message }): Fault => ({ pointer: "/openapi", message: `${operation}: ${message}` }))
    return refuse(c, { ...invalid(listed), ...(taken ? { code: "taken" } : {}) })
  }
  const { registered } = c.get("tenant")
  if (isTooMuch(await registered.registered(), defs)) return refuse(c, TOO_MUCH)
  await registered.register(defs)
  return c.json({ registered: defs.map((def) => rowOf(specOf(def))), skipped: read.value.skipped }, 201)
}

interface OperationFault {
  readonly operation: string
  readonly message: string
}

function judged(c: Call, { tools }: Imported): { defs: HttpToolDef[]; faults: OperationFault[]; taken: boolean } {
  const defs: HttpToolDef[] = []
  const faults: OperationFault[] = []
  let taken = false
  for (const { name, operation, registration } of tools) {
    const refusal = nameFault(c, name)
    const def = readHttpTool(name, registration)
    const address = def.ok ? addressFault(c, def.value) : undefined
    if (refusal) faults.push({ operation, message: refusal.detail })
    if (refusal?.code === "taken") taken = true
    if (!def.ok) for (const { pointer, message } of def.error) faults.push({ operation, message: `${pointer}: ${message}` })
    else if (address) faults.push({ operation, message: address.message })
    else defs.push(def.value)
  }
  return { defs, faults, taken }
}

/** What would be registered; whatever stops the import is told beside what is left out. */
function preview({ tools, skipped }: Imported, defs: readonly HttpToolDef[], faults: readonly OperationFault[]): Json {
  const reasons = new Map(faults.map(({ operation, message }) => [operation, message]))
  const made = new Map(defs.map((def) => [def.name, def]))
  const rows = tools.flatMap(({ name, id, operation, registration }) => {
    const def = made.get(name)
    if (!def || reasons.has(operation)) return []
    const { description, effect } = specOf(def)
    const { host = "" } = hostOf(addressOf(def)) ?? {}
    return [{ name, id, operation, description: cutAt(description, MAX_SHOWN), effect, host, tokens: weightOf(name, registration) }]
  })
  return {
    tools: rows,
    tokens: rows.reduce((sum, { tokens }) => sum + tokens, 0),
    skipped: [...skipped.map((one) => ({ ...one })), ...Array.from(reasons, ([operation, reason]) => ({ operation, reason }))],
  }
}

function nameFault(c: Call, name: string): Refusal | undefined {
  const { tools, others = [] } = c.get("services")
  if (
    isTaken(
      name,
      [...tools, ...others].map((tool) => tool.name),
    )
  )
    return { code: "taken", detail: `The name "${name.slice(0, 100)}" belongs to a built-in tool or is reserved: use another name.` }
  if (!TOOL_NAME.test(name))
    return invalid([
      { pointer: "", message: 'the name of a tool must have 1 to 64 letters, digits, "_", "-" or ".", and start with a letter' },
    ])
  return undefined
}

/** With something in place of what the arguments fill in. */
const addressOf = (def: HttpToolDef): string => def.request.url.replace(/\$\{\{[^}]*\}\}/g, "x")

/** Each call judges the address again; this check warns the administrator early. */
function addressFault(c: Call, def: HttpToolDef): { readonly message: string } | undefined {
  const judged = judgeAddress(addressOf(def), outward(c))
  return judged.ok ? undefined : { message: `address refused: ${judged.error}` }
}

function isTooMuch(before: readonly RegisteredTool[], defs: readonly HttpToolDef[]): boolean {
  const names = new Set(defs.map(({ name }) => name))
  const all: readonly ToolDef[] = [...before.flatMap(({ name, def }) => (names.has(name) ? [] : [def])), ...defs]
  return all.length > MAX_TOOLS || all.reduce((sum, def) => sum + JSON.stringify(def).length, 0) > MAX_TOOL_CHARS
}

const TOO_MUCH: Refusal = invalid([
  {
    pointer: "",
    message: `a tenant has at most ${MAX_TOOLS} registered tools, with ${MAX_TOOL_CHARS / 1_000_000} million characters in all`,
  },
])

export const REGISTERED_TOOL_ROUTES = routes(tools, { importTools, putTool, deleteTool })
