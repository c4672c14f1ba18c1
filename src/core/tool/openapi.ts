// Turns an OpenAPI 3 document into HTTP tools [T26]: one registration for each operation, with its parameters and its body as one JSON
// Schema and the document's references inlined. Operations that cannot become a tool are skipped, with the reason.

import { readHttpTool } from "./http-tool.ts"
import type { Pieces } from "../pieces.ts"
import { isObject, type Json, type JsonObject } from "../json.ts"
import { argumentFor, listAsText, parametersOf, sentAs, MAX_NAME } from "./openapi-parameter.ts"
import { inlined, resolved, type Room } from "./openapi-schema.ts"
import { readOpenApiText } from "./openapi-text.ts"
import { err, ok, type Result } from "../result.ts"

export interface ImportOptions {
  readonly prefix?: string
  readonly server?: string
  readonly auth?: Json
  readonly only?: readonly string[]
}

export interface Imported {
  readonly tools: readonly {
    readonly name: string
    /** `GET /pets/{id}` */
    readonly operation: string
    readonly registration: JsonObject
  }[]
  readonly skipped: readonly { readonly operation: string; readonly reason: string }[]
}

const METHODS = ["get", "put", "post", "delete", "patch", "head"] as const
const MAX_OPERATIONS = 300
/** [N4] To make a tool of an operation takes about 0.1 ms. */
const OPERATION_WORK = 10_000
/** Limits for schemas with their references inlined: per operation (more than fit into a tool's 64 KiB) and per document. */
const MAX_IN_ONE = 10_000
const MAX_IN_ALL = 100_000

/** `document`: parsed, or as JSON or YAML text. */
export function* importOpenApi(document: unknown, options: ImportOptions): Pieces<Result<Imported, string>> {
  const read = typeof document === "string" ? readOpenApiText(document) : ok(document)
  if (!read.ok) return read
  const root = read.value
  if (!isObject(root) || !isObject(root["paths"])) return err("is not an OpenAPI document: it has no paths")
  if (typeof root["openapi"] !== "string" || !root["openapi"].startsWith("3."))
    return err("must be OpenAPI 3.0 or 3.1; convert an older document first")
  const tools: Imported["tools"][number][] = []
  const skipped: Imported["skipped"][number][] = []
  const names = new Set<string>()
  const wanted = options.only && new Set(options.only)
  let left = MAX_IN_ALL
  for (const [path, item] of Object.entries(root["paths"])) {
    const entry = resolved(root, item)
    if (!isObject(entry)) continue
    for (const method of METHODS) {
      const given = entry[method]
      if (!isObject(given)) continue
      const operation = `${method.toUpperCase()} ${path}`
      yield OPERATION_WORK
      const id = typeof given["operationId"] === "string" && given["operationId"] !== "" ? given["operationId"] : `${method}${path}`
      if (wanted && !wanted.delete(id)) continue
      const name = nameFor(`${options.prefix ?? ""}${id}`)
      const room: Room = { left: MAX_IN_ONE }
      const made = names.has(name)
        ? err(`another operation has the same name, ${name}`)
        : fitting(name, toolOf(root, path, method, entry, given, options, room), room)
      left -= MAX_IN_ONE - room.left
      if (left < 0) return err('its operations together are too large; choose some of them with "only"')
      if (!made.ok) skipped.push({ operation, reason: made.error })
      else {
        names.add(name)
        tools.push({ name, operation, registration: made.value })
      }
    }
  }
  if (wanted && wanted.size > 0) return err(`has no operation ${[...wanted].slice(0, 5).join(", ")}`)
  if (tools.length > MAX_OPERATIONS) return err(`has ${tools.length} operations; choose at most ${MAX_OPERATIONS} of them with "only"`)
  return ok({ tools, skipped })
}

/** The tool's name. Characters that a name cannot have, such as those in `/pets/{id}`, become `_`. */
const nameFor = (text: string): string =>
  text
    .slice(0, MAX_NAME)
    .replace(/[^A-Za-z0-9_.-]+/g, "_")
    .replace(/^[^A-Za-z]+/, "")
    .replace(/_+$/, "")
    .slice(0, 64)

/** Checks that the tool can be registered. The caller of the import checks `auth`. */
function fitting(name: string, made: Result<JsonObject, string>, room: Room): Result<JsonObject, string> {
  if (!made.ok) return made
  if (room.left <= 0) return err("its schemas are too large with their references inlined")
  const { auth: _, ...rest } = made.value
  const read = readHttpTool(name, rest)
  return read.ok ? made : err(read.error.map(({ pointer, message }) => `${pointer || "it"} ${message}`).join("; "))
}

function toolOf(
  root: JsonObject | Record<string, unknown>,
  path: string,
  method: string,
  item: Record<string, unknown>,
  operation: Record<string, unknown>,
  { auth, server }: ImportOptions,
  room: Room,
): Result<JsonObject, string> {
  const base = server ?? serverOf(operation) ?? serverOf(item) ?? serverOf(root)
  if (base === undefined || !/^https?:\/\//i.test(base)) return err('the document has no absolute server address; give one as "server"')
  const properties: JsonObject = {}
  const required: string[] = []
  const headers: JsonObject = {}
  const query: string[] = []
  let target = path
  for (const parameter of parametersOf(root, item, operation)) {
    const { name, in: place } = parameter
    if (typeof name !== "string" || typeof place !== "string") return err('it has a parameter without "name" or "in"')
    const isRequired = parameter["required"] === true || place === "path"
    if (place === "header" && /^(accept|content-type|authorization)$/i.test(name)) continue
    if (place === "cookie") {
      if (isRequired) return err(`it needs the cookie ${name}`)
      continue
    }
    const schema = { ...schemaOf(root, parameter, room), ...described(parameter) }
    const sent = sentAs(parameter, place, schema)
    if (sent.form === "unfit") {
      if (isRequired) return err(`its parameter ${name} is ${sent.why}, which no template can send`)
      continue
    }
    const arg = argumentFor(name, properties)
    properties[arg] = sent.form === "text" ? listAsText(schema, sent.separator) : schema
    if (isRequired) required.push(arg)
    const reference = `\${{args.${arg}}}`
    if (place === "path") target = target.replaceAll(`{${name}}`, reference)
    else if (place === "query") query.push(`${encodeURIComponent(name)}=${reference}`)
    else headers[name] = reference
  }
  const stray = /\{[^{}$]*\}(?!\})/.exec(target.replace(/\$\{\{[^}]*\}\}/g, ""))
  if (stray) return err(`its path has ${stray[0]}, but no parameter of that name exists`)
  const body = bodyOf(root, operation, method, room)
  if (!body.ok) return body
  let template: Json | undefined
  if (body.value) {
    const arg = argumentFor("body", properties)
    properties[arg] = body.value.schema
    if (body.value.required) required.push(arg)
    template = `\${{args.${arg}}}`
    if (body.value.type !== "application/json") headers["content-type"] = body.value.type
  }
  const texts = [operation["summary"], operation["description"]].filter((s) => typeof s === "string" && s !== "")
  return ok({
    description: (texts.join(". ") || `${method.toUpperCase()} ${path}`).slice(0, 4_000),
    parameters: { type: "object", properties, ...(required.length > 0 ? { required } : {}), additionalProperties: false },
    request: {
      method: method.toUpperCase(),
      url: `${base.replace(/\/$/, "")}${target}${query.length > 0 ? `${target.includes("?") ? "&" : "?"}${query.join("&")}` : ""}`,
      ...(Object.keys(headers).length > 0 ? { headers } : {}),
      ...(template === undefined ? {} : { body: template }),
    },
    ...(auth === undefined ? {} : { auth }),
    untrusted: true,
  })
}

/** The first server's URL, with its variables at their defaults. */
function serverOf(place: Record<string, unknown>): string | undefined {
  const servers = place["servers"]
  const first: unknown = Array.isArray(servers) ? servers[0] : undefined
  if (!isObject(first) || typeof first["url"] !== "string") return undefined
  const variables = isObject(first["variables"]) ? first["variables"] : {}
  return first["url"].replace(/\{([^{}]*)\}/g, (whole, name: string) => {
    const variable = Object.hasOwn(variables, name) ? variables[name] : undefined
    return isObject(variable) && typeof variable["default"] === "string" ? variable["default"] : whole
  })
}

function bodyOf(
  root: Record<string, unknown>,
  operation: Record<string, unknown>,
  method: string,
  room: Room,
): Result<{ readonly schema: JsonObject; readonly type: string; readonly required: boolean } | undefined, string> {
  const body = resolved(root, operation["requestBody"])
  if (!isObject(body) || method === "get" || method === "head") return ok(undefined)
  const content = isObject(body["content"]) ? body["content"] : {}
  const types = Object.keys(content)
  const type =
    types.find((t) => /^application\/json\b/i.test(t)) ??
    types.find((t) => /[/+]json\b/i.test(t)) ??
    types.find((t) => /x-www-form-urlencoded/i.test(t))
  const isRequired = body["required"] === true
  if (type === undefined)
    return isRequired ? err(`its body is ${types.join(", ") || "without a type"}; only JSON and plain forms can be sent`) : ok(undefined)
  const media = content[type]
  const schema = { ...schemaOf(root, isObject(media) ? media : {}, room), ...described(body) }
  return ok({ schema, type: /^application\/json\b/i.test(type) ? "application/json" : type, required: isRequired })
}

const described = ({ description }: Record<string, unknown>): JsonObject =>
  typeof description === "string" && description !== "" ? { description: description.slice(0, 1_000) } : {}

function schemaOf(root: Record<string, unknown>, holder: Record<string, unknown>, room: Room): JsonObject {
  const content = isObject(holder["content"]) ? Object.values(holder["content"])[0] : undefined
  const schema = inlined(root, holder["schema"] ?? (isObject(content) ? content["schema"] : undefined), room)
  return isObject(schema) ? (schema as JsonObject) : {}
}
