// Reads the tools of MCP servers [T27, D30–D32]: their names, a server's list, and the changes of a list. Sends no requests. A server is
// trusted only as far as it was approved: the list is limited, an unusable tool is left out with the reason, and runs pin our copy of a
// definition, not the server's later answer.

import { defined } from "../defined.ts"
import { headerFault } from "./mcp-header.ts"
import { secretHeader } from "./http-tool-request.ts"
import { canonical, isObject, type JsonSchema } from "../json.ts"
import { judgeable } from "../schema/judgeable-schema.ts"
import { hiddenIn } from "../text/hidden.ts"
import { short } from "../text/pointer.ts"
import { matchesGlob } from "./policy/tool-names.ts"
import type { ApprovalRule } from "./policy/policy.ts"
import { err, ok, type Result } from "../result.ts"
import { schemaFaults } from "../schema/schema-fault.ts"
import type { McpAuth, McpToolDef } from "./tool-def.ts"
import type { Effect, ToolSpec } from "./tool-spec.ts"
import { utf8Length } from "../text/utf8.ts"
import { hostOf } from "../text/web-address.ts"

const PREFIX = "mcp:"
/** Limit: tools of a server → the list is refused; `allow` chooses. */
export const MOST_TOOLS = 128
/** Limit: tools in a server's list before `allow` is applied. */
export const MOST_LISTED = 1_024 // limit: tools that a server lists → the list is refused
const MAX_SCHEMA = 32 * 1024 // limit: characters of a tool's schema → the tool is left out, with the reason
const MAX_DEPTH = 40 // limit: levels of a tool's schema → the tool is left out, with the reason
const MAX_DESCRIPTION = 8 * 1024 // limit: characters of a tool's description → the tool is left out, with the reason
/** Approved and waiting list share a row of 2 MB. */
const MAX_LIST = 512 * 1024 // limit: characters of a server's whole list → the list is refused

export interface McpServerSettings {
  readonly url: string
  readonly auth?: McpAuth
  /** For all its tools, in place of what its annotations say. */
  readonly effect?: Effect
  /** Default true. */
  readonly untrusted?: boolean
  readonly approval?: ApprovalRule
  /** Globs over the names at the server; absent: all. */
  readonly allow?: readonly string[]
  /** Milliseconds a call may take. */
  readonly timeout?: number
}

/** A tool as its server lists it: the part that a person approves and that its hash covers. */
export interface ListedTool {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly parameters: JsonSchema
  readonly readOnly?: boolean
  readonly idempotent?: boolean
}

export interface ToolList {
  /** By name. */
  readonly tools: readonly ListedTool[]
  readonly leftOut: readonly { readonly tool: string; readonly reason: string }[]
}

type CarriedSecret =
  | { readonly secretHeaders: Readonly<Record<string, string>> }
  | { readonly oauth: { readonly client: string; readonly secret: string; readonly issuer: string } }

/** The scope of a connected server. No tenant can write it, because a vault scope has no colon. */
export const connectionScope = (server: string): string => `mcp:${server}`

/** The vault scope that a call needs. */
export const scopeOf = (server: string, { grant, scope }: McpAuth): string =>
  grant === "authorization_code" || scope === undefined ? connectionScope(server) : scope

/** How requests use the secret: in a header, or as the secret of an OAuth client. */
export function carried(auth: McpAuth, secret: string): CarriedSecret {
  const { client_id: client, issuer } = auth
  return client === undefined || issuer === undefined
    ? { secretHeaders: secretHeader({ ...auth, scope: auth.scope ?? "" }, secret) }
    : { oauth: { client, secret, issuer } }
}

export interface ListChange {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly changed: readonly string[]
}

export const mcpName = (server: string, tool: string): string => `${PREFIX}${server}:${tool}`

/** Splits a name at its first two colons; a tool's own name may contain more [D30]. */
export function parseMcpName(name: string): { readonly server: string; readonly tool: string } | undefined {
  if (!name.startsWith(PREFIX)) return undefined
  const colon = name.indexOf(":", PREFIX.length)
  if (colon < 0) return undefined
  const server = name.slice(PREFIX.length, colon)
  const tool = name.slice(colon + 1)
  return isServerName(server) && tool !== "" ? { server, tool } : undefined
}

/** Tells whether this is a valid server name: without a colon, so that names are unambiguous, and without look-alike letters [S8]. */
export const isServerName = (name: string): boolean => /^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/.test(name)

/** What a protocol of 2025-11 and later calls a fit name, and a colon or slash besides. */
const TOOL_NAME = /^[A-Za-z0-9_.:/-]{1,128}$/

/** Tells whether `allow` selects the server's tool with this name. */
export const isSelected = (name: string, allow?: readonly string[]): boolean =>
  allow === undefined || allow.some((glob) => matchesGlob(glob, name))

/** Reads all pages of a server's list, and returns the usable tools. An error concerns the list as a whole. */
export function readList(listed: readonly unknown[], allow?: readonly string[]): Result<ToolList, string> {
  if (listed.length > MOST_LISTED) return err(`it lists ${listed.length} tools; ${MOST_LISTED} are the most that are looked at`)
  const tools = new Map<string, ListedTool>()
  const leftOut: { tool: string; reason: string }[] = []
  for (const entry of listed) {
    const name = isObject(entry) && typeof entry["name"] === "string" ? entry["name"] : ""
    const shown = JSON.stringify(name.slice(0, 128)).slice(1, -1)
    const leave = (reason: string): void => void leftOut.push({ tool: shown, reason })
    if (!isObject(entry) || !TOOL_NAME.test(name)) leave("its name is not 1 to 128 of the characters A-Z a-z 0-9 _ . : / -")
    else if (!isSelected(name, allow)) leave("no glob of allow matches it")
    else if (tools.has(name)) leave("it is listed twice; the first counts")
    else {
      const tool = readTool(name, entry)
      if (tool.ok) tools.set(name, tool.value)
      else leave(tool.error)
    }
  }
  if (tools.size > MOST_TOOLS) return err(`it has ${tools.size} tools; choose at most ${MOST_TOOLS} of them with allow`)
  const sorted = [...tools.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  if (utf8Length(canonical(sorted)) > MAX_LIST) return err(`its list is longer than ${MAX_LIST / 1024} KiB; choose fewer tools with allow`)
  return ok({ tools: sorted, leftOut: leftOut.slice(0, MOST_TOOLS) })
}

function readTool(name: string, entry: Readonly<Record<string, unknown>>): Result<ListedTool, string> {
  const fault = schemaFault(entry["inputSchema"])
  if (fault !== undefined) return err(fault)
  const header = headerFault(entry["inputSchema"])
  if (header !== undefined) return err(header)
  const schema = objectSchema(entry["inputSchema"])
  const [unusable] = schemaFaults(schema)
  if (unusable) return err(`its input schema cannot be used: ${unusable.pointer || "it"} ${unusable.message}`)
  if (canonical(schema).length > MAX_SCHEMA) return err(`its input schema is longer than ${MAX_SCHEMA / 1024} KiB`)
  const description = typeof entry["description"] === "string" ? entry["description"] : ""
  if (description.length > MAX_DESCRIPTION) return err(`its description is longer than ${MAX_DESCRIPTION} characters`)
  const hints = isObject(entry["annotations"]) ? entry["annotations"] : {}
  const title = typeof entry["title"] === "string" ? entry["title"] : hints["title"]
  // A person approves the list by reading it.
  const hidden = [description, title, JSON.stringify(schema)].flatMap((text) => (typeof text === "string" ? (hiddenIn(text) ?? []) : []))[0]
  if (hidden !== undefined) return err(`its description or its schema has a character that a reader does not see (${hidden})`)
  return ok({
    name,
    ...(typeof title === "string" && title !== "" ? { title: title.slice(0, 200) } : {}),
    description,
    parameters: schema,
    ...(hints["readOnlyHint"] === true ? { readOnly: true } : {}),
    ...(hints["idempotentHint"] === true ? { idempotent: true } : {}),
  })
}

/** The whole of it is kept [D31], as far as it can be judged. What does not describe an object describes no arguments. */
function objectSchema(given: unknown): JsonSchema {
  if (!isObject(given)) return { type: "object" }
  const schema: JsonSchema = JSON.parse(JSON.stringify(given))
  const { type } = schema
  const describes = type === undefined ? DESCRIBING.some((key) => Object.hasOwn(schema, key)) : [type].flat().includes("object")
  return describes ? judgeable({ ...schema, type: "object" }) : { type: "object" }
}

/** A schema that has one of these and no type means an object, since arguments are one. */
const DESCRIBING = ["properties", "required", "anyOf", "oneOf", "allOf", "$ref"]

/** What makes a schema unfit whatever it says: depth that a reader cannot follow, a reference that would have to be fetched. */
function schemaFault(schema: unknown, depth = 0): string | undefined {
  if (typeof schema !== "object" || schema === null) return undefined
  if (depth > MAX_DEPTH) return `its input schema is nested deeper than ${MAX_DEPTH} levels`
  for (const [key, value] of Object.entries(schema)) {
    if (key === "$ref" && typeof value === "string" && !value.startsWith("#"))
      return `its input schema refers to ${JSON.stringify(short(value))}, outside itself`
    const inside = schemaFault(value, depth + 1)
    if (inside !== undefined) return inside
  }
  return undefined
}

/** The definitions of the tools. The server's hints count because a person approved the list; `effect` overrides them. */
export function mcpToolDefs(server: string, settings: McpServerSettings, tools: readonly ListedTool[]): readonly McpToolDef[] {
  const { url, auth, effect, untrusted = true, approval, timeout } = settings
  return tools.map((tool) => ({
    kind: "mcp",
    name: mcpName(server, tool.name),
    server,
    tool: tool.name,
    url,
    ...defined({ auth, label: tool.title }),
    description: tool.description,
    parameters: tool.parameters,
    effect: effect ?? (tool.readOnly ? "read" : "write"),
    ...(tool.idempotent ? { idempotent: true } : {}),
    untrusted,
    ...defined({ approval, timeout }),
  }))
}

export function mcpSpec(def: McpToolDef): ToolSpec {
  const { server, description, auth, effect } = def
  return {
    name: def.name,
    ...defined({ label: def.label }),
    description: `[MCP:${server}] ${description}`.trimEnd(),
    parameters: def.parameters,
    effect,
    ...(def.idempotent ? { idempotent: true } : {}),
    contexts: ["main", "agent"],
    groups: ["mcp"],
    untrusted: def.untrusted,
    ...(auth === undefined ? {} : { private: true, requiredSecretScopes: [scopeOf(server, auth)] }),
    reach: { to: { host: hostOf(def.url)?.host ?? "" }, method: { fixed: effect === "write" ? "POST" : "GET" } },
    ...defined({ approval: def.approval, timeout: def.timeout }),
  }
}

export function listChange(before: readonly ListedTool[], after: readonly ListedTool[]): ListChange {
  const old = new Map(before.map((tool) => [tool.name, canonical(tool)]))
  const now = new Set(after.map((tool) => tool.name))
  return {
    added: after.filter((tool) => !old.has(tool.name)).map((tool) => tool.name),
    removed: before.filter((tool) => !now.has(tool.name)).map((tool) => tool.name),
    changed: after.filter((tool) => old.has(tool.name) && old.get(tool.name) !== canonical(tool)).map((tool) => tool.name),
  }
}
