// A tenant's own HTTP tools [T26]: register, replace, remove, and import many from an OpenAPI document. A registered tool acts with the
// tenant's rights from the next start of a run, so only administrators write them.

import { readHttpTool } from "../../core/tool/http-tool.ts"
import { lintTool } from "../../core/tool/lint-tool.ts"
import { importOpenApi } from "../../core/tool/openapi.ts"
import type { HttpToolDef, ToolDef } from "../../core/tool/tool-def.ts"
import { isTaken, TOOL_NAME } from "../../core/tool/tool-name.ts"
import { judgeAddress } from "../../engine/net/address-guard.ts"
import { specOf } from "../../engine/catalog/registered-tools.ts"
import { Breath } from "../../ports/breath.ts"
import type { RegisteredTool } from "../../ports/tool-catalog.ts"
import { outward } from "../middleware/outward.ts"
import { json, parseJson } from "../middleware/body.ts"
import { param, routes, type Call } from "../middleware/call.ts"
import { invalid, NOT_FOUND, refuse, type Fault, type Refusal } from "../middleware/problem.ts"
import { rowOf } from "./tools.ts"
import { ImportToolsBody, tools } from "../../api/tools.ts"

/** The limits of one tenant, including the tools of its MCP servers. */
const MAX_TOOLS = 1_000
const MAX_CHARS = 4_000_000

export async function putTool(c: Call): Promise<Response> {
  const name = param(c, "tool")
  const refusal = nameFault(c, name)
  if (refusal) return refuse(c, refusal)
  const body = parseJson(c)
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
  const body = json(c, ImportToolsBody)
  if (!body.ok) return refuse(c, body.error)
  const { openapi, ...options } = body.value
  // [N4] A megabyte of operations takes half a second.
  const breath = new Breath()
  const read = await breath.through(importOpenApi(openapi, options))
  if (!read.ok) return refuse(c, invalid([{ pointer: "/openapi", message: read.error }]))
  const defs: HttpToolDef[] = []
  const faults: Fault[] = []
  for (const { name, operation, registration } of read.value.tools) {
    const refusal = nameFault(c, name)
    const def = readHttpTool(name, registration)
    const address = def.ok ? addressFault(c, def.value) : undefined
    if (refusal) faults.push({ pointer: "/openapi", message: `${operation}: ${refusal.detail}` })
    if (!def.ok)
      for (const { pointer, message } of def.error) faults.push({ pointer: "/openapi", message: `${operation}: ${pointer}: ${message}` })
    else if (address) faults.push({ pointer: "/openapi", message: `${operation}: ${address.message}` })
    else defs.push(def.value)
  }
  const taken = read.value.tools.some(({ name }) => nameFault(c, name)?.code === "taken")
  if (faults.length > 0) return refuse(c, { ...invalid(faults), ...(taken ? { code: "taken" } : {}) })
  const { registered } = c.get("tenant")
  if (isTooMuch(await registered.registered(), defs)) return refuse(c, TOO_MUCH)
  await registered.register(defs)
  return c.json({ registered: defs.map((def) => rowOf(specOf(def))), skipped: read.value.skipped }, 201)
}

function nameFault(c: Call, name: string): Refusal | undefined {
  const { tools, others = [] } = c.get("house")
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

/** Each call judges the address again; this check warns the administrator early. */
function addressFault(c: Call, def: HttpToolDef): { readonly message: string } | undefined {
  const url = def.request.url.replace(/\$\{\{[^}]*\}\}/g, "x")
  const judged = judgeAddress(url, outward(c))
  return judged.ok ? undefined : { message: `address refused: ${judged.error}` }
}

/** Lists and calls from outside a run read all of them at once. */
function isTooMuch(before: readonly RegisteredTool[], defs: readonly HttpToolDef[]): boolean {
  const names = new Set(defs.map(({ name }) => name))
  const all: readonly ToolDef[] = [...before.flatMap(({ name, def }) => (names.has(name) ? [] : [def])), ...defs]
  return all.length > MAX_TOOLS || all.reduce((sum, def) => sum + JSON.stringify(def).length, 0) > MAX_CHARS
}

const TOO_MUCH: Refusal = invalid([
  { pointer: "", message: `a tenant has at most ${MAX_TOOLS} registered tools, with ${MAX_CHARS / 1_000_000} million characters in all` },
])

export const REGISTERED_TOOL_ROUTES = routes(tools, { importTools, putTool, deleteTool })
