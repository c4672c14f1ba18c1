// Turns an OpenAPI 3 or Swagger 2.0 document into HTTP tools [T26]: one registration for each operation, with its parameters and its body as one
// JSON Schema and the document's references inlined, as deep as they fit. An operation that cannot become a tool is skipped, with the reason.

import { nearest } from "../text/nearest.ts"
import { defined } from "../defined.ts"
import { readHttpTool } from "./http-tool.ts"
import type { Pieces } from "../pieces.ts"
import type { Style } from "./http-template.ts"
import { isObject, type Json, type JsonObject } from "../json.ts"
import { argumentFor, listAsText, parametersOf, sentAs, MAX_NAME } from "./openapi-parameter.ts"
import { bodyOf } from "./openapi-body.ts"
import { inlined, resolved, WHOLE, type Detail, type Room } from "./openapi-schema.ts"
import { readOpenApiText } from "./openapi-text.ts"
import { err, ok, type Result } from "../result.ts"
import { toolTokens } from "./tool-tokens.ts"
import { isSwagger, swaggerOperation, swaggerServers } from "./swagger.ts"

export interface ImportOptions {
  readonly prefix?: string
  readonly server?: string
  /** Where the document was fetched: servers without a host are there. */
  readonly from?: string
  readonly auth?: Json
  readonly only?: readonly string[]
}

export interface Imported {
  readonly tools: readonly {
    readonly name: string
    /** What `only` names it by. */
    readonly id: string
    /** `GET /pets/{id}` */
    readonly operation: string
    readonly registration: JsonObject
  }[]
  readonly skipped: readonly { readonly operation: string; readonly reason: string }[]
}

const METHODS = ["get", "put", "post", "delete", "patch", "head"] as const
/** As many as a tenant may register. */
const MAX_OPERATIONS = 1_000 // limit: operations of one import → 422: choose some with `only`
/** [N4] To make a tool of an operation takes about 0.1 ms. */
const OPERATION_WORK = 10_000
/** Limits for schemas with their references inlined: per operation (more than fit into a tool's 64 KiB) and per document. */
// Limit: parts of one operation's schemas → the schemas are shown less deep; if that is not enough, the operation is skipped, with the
// reason.
const MAX_IN_ONE = 10_000
// Limit: parts of all schemas → the schemas are shown less deep; if that is not enough, the operation is skipped, with the reason.
const MAX_IN_ALL = 100_000
/** What each operation may read, however many there are. */
const MIN_IN_ONE = 60
/** Characters of a tool's parameters for which nothing is left out; in outline they may have 64 KiB. */
const CHARS_SHOWN = 48_000 // limit: characters of a tool's parameters for which nothing is left out → the schemas are shown less deep
const MIN_SHOWN = 2_000
/** Of all of them, as many as a tenant's tools may have. */
const CHARS_IN_ALL = 3_000_000 // limit: characters of the parameters of all tools → the schemas are shown less deep

/** From all that a schema says to its outline: the first one that fits is taken. `share`: of what is left for each operation. */
const DETAILS: readonly (Detail & { readonly share: number })[] = [
  { ...WHOLE, share: 6 },
  { nesting: 8, described: 2, share: 3 },
  { nesting: 4, described: 1, share: 2 },
  { nesting: 2, described: 1, share: 1 },
  { nesting: 1, described: 0, share: 1 },
]

/** `document`: the parsed document, or its JSON or YAML text. */
export function* importOpenApi(document: unknown, options: ImportOptions): Pieces<Result<Imported, string>> {
  const read = typeof document === "string" ? yield* readOpenApiText(document) : ok(document)
  if (!read.ok) return read
  const root = read.value
  if (!isObject(root)) return err("is not an OpenAPI document: it is not an object")
  const old = isSwagger(root)
  if (!old) {
    const fault = versionFault(root)
    if (fault !== undefined) return err(fault)
  }
  const paths = root["paths"]
  if (!isObject(paths) || (old && Object.keys(paths).length === 0))
    return err(
      `is not an OpenAPI document of operations: it has no paths${root["webhooks"] === undefined ? "" : ", and webhooks call you"}`,
    )
  const skipped: Imported["skipped"][number][] = []
  const wanted = options.only && new Set(options.only)
  const operations = operationsOf(root, paths, wanted, skipped)
  if (wanted && wanted.size > 0) return err(noOperation([...wanted], operationsOf(root, paths, undefined, [])))
  const servers = old ? { servers: swaggerServers(root) } : root
  const tools: Imported["tools"][number][] = []
  const names = new Set<string>()
  let left = MAX_IN_ALL
  let chars = CHARS_IN_ALL
  for (const [at, { path, method, item, given, id }] of operations.entries()) {
    yield OPERATION_WORK
    const operation = `${method.toUpperCase()} ${path}`
    const name = freeName(nameFor(`${options.prefix ?? ""}${id}`), names)
    const target = { root, servers, path, method, item, operation: given }
    const most = Math.min(CHARS_SHOWN, Math.max(MIN_SHOWN, Math.floor((3 * chars) / (operations.length - at))))
    let room: Room = { left: 0 }
    let made: Result<JsonObject, string> = err("")
    for (const detail of DETAILS) {
      const share = Math.floor((detail.share * left) / (operations.length - at))
      const before = Math.max(MIN_IN_ONE, Math.min(MAX_IN_ONE, share))
      room = { left: before }
      made = toolOf(target, options, room, detail)
      left = Math.max(0, left - (before - Math.max(0, room.left)))
      if (!made.ok || (room.left > 0 && lengthOf(made.value) <= most)) break
    }
    chars = Math.max(0, chars - (made.ok ? lengthOf(made.value) : 0))
    made = fitting(name, made, room)
    if (!made.ok) skipped.push({ operation, reason: made.error })
    else {
      names.add(name)
      tools.push({ name, id, operation, registration: made.value })
    }
  }
  if (tools.length > MAX_OPERATIONS) return err(`has ${tools.length} operations; choose at most ${MAX_OPERATIONS} of them with "only"`)
  return ok({ tools, skipped })
}

/** How the message about names in `only` begins. */
export const NO_OPERATION = "names what is no operation of the document: "

function noOperation(wanted: readonly string[], known: readonly Operation[]): string {
  const ids = known.map(({ id }) => id)
  const near = wanted.flatMap((name) => nearest(name, ids) ?? [])
  return `${NO_OPERATION}${wanted.slice(0, 5).join(", ")}${near[0] === undefined ? "" : `; did you mean "${near[0]}"?`}`
}

interface Operation {
  readonly path: string
  readonly method: string
  /** The path's own part, with parameters of all its operations. */
  readonly item: Record<string, unknown>
  readonly given: Record<string, unknown>
  readonly id: string
}

function operationsOf(
  root: Record<string, unknown>,
  paths: Record<string, unknown>,
  wanted: Set<string> | undefined,
  skipped: Imported["skipped"][number][],
): readonly Operation[] {
  return Object.entries(paths).flatMap(([path, part]) => {
    const item = resolved(root, part)
    if (!isObject(item)) {
      if (isObject(part) && !path.startsWith("x-")) skipped.push({ operation: `* ${path}`, reason: outsideOf(part["$ref"]) })
      return []
    }
    return METHODS.flatMap((method) => {
      const said = resolved(root, item[method])
      if (!isObject(said)) {
        const away = item[method]
        if (!isObject(away)) return []
        if (!wanted || wanted.delete(`${method}${path}`))
          skipped.push({ operation: `${method.toUpperCase()} ${path}`, reason: outsideOf(away["$ref"]) })
        return []
      }
      const id = typeof said["operationId"] === "string" && said["operationId"] !== "" ? said["operationId"] : `${method}${path}`
      if (wanted && !wanted.delete(id)) return []
      const given = isSwagger(root) ? swaggerOperation(root, item, said) : said
      return [{ path, method, item: isSwagger(root) ? {} : item, given, id }]
    })
  })
}

/** [T26] What keeps a document from being read as OpenAPI 3; undefined: nothing. */
function versionFault({ openapi }: Record<string, unknown>): string | undefined {
  if (typeof openapi === "string" && openapi.startsWith("3.")) return undefined
  if (typeof openapi === "number" && openapi >= 3 && openapi < 4)
    return `its version, openapi: ${openapi}, is a number, and must be text: put it in quotes, as openapi: "3.1.0"`
  return "must be Swagger 2.0, or OpenAPI 3.0 or 3.1; convert an older document first"
}

const outsideOf = (ref: unknown): string =>
  `it refers to ${JSON.stringify(ref ?? null).slice(0, 200)}, which is not in the document: put all parts into one document first`

/** The tool's name. Characters that a name cannot have, such as those in `/pets/{id}`, become `_`. Of a long one, both ends stay. */
function nameFor(text: string): string {
  const name = text
    .slice(0, MAX_NAME)
    .replace(/[^A-Za-z0-9_.-]+/g, "_")
    .replace(/^[^A-Za-z]+/, "")
    .replace(/_+$/, "")
  return name.length <= MAX_TOOL_NAME ? name : `${name.slice(0, MAX_TOOL_NAME / 2)}_${name.slice(1 - MAX_TOOL_NAME / 2)}`
}

const MAX_TOOL_NAME = 64 // limit: characters of a tool's name → of a longer one both ends stay

function freeName(name: string, taken: ReadonlySet<string>): string {
  let free = name
  for (let n = 2; taken.has(free); n++) free = `${name.slice(0, MAX_TOOL_NAME - 5)}_${n}`
  return free
}

const lengthOf = (registration: JsonObject): number => JSON.stringify(registration["parameters"]).length

/** Checks that the tool can be registered. The caller of the import checks `auth`. */
function fitting(name: string, made: Result<JsonObject, string>, room: Room): Result<JsonObject, string> {
  if (!made.ok) return made
  if (room.left <= 0) return err("its schemas are too large with their references inlined, even in outline")
  if (room.outside !== undefined) return err(outsideOf(room.outside))
  const { auth: _, ...rest } = made.value
  const read = readHttpTool(name, rest)
  return read.ok ? made : err(read.error.map(({ pointer, message }) => `${pointer || "it"} ${message}`).join("; "))
}

interface Target {
  readonly root: Record<string, unknown>
  /** What has the document's servers. */
  readonly servers: Record<string, unknown>
  readonly path: string
  readonly method: string
  readonly item: Record<string, unknown>
  readonly operation: Record<string, unknown>
}

function toolOf(
  { root, servers, path, method, item, operation }: Target,
  { auth, server, from }: ImportOptions,
  room: Room,
  detail: Detail,
): Result<JsonObject, string> {
  const named = server ?? serverOf(operation) ?? serverOf(item) ?? serverOf(servers)
  const base = server === undefined && from !== undefined ? completed(named ?? "/", from) : named
  if (base === undefined || !/^https?:\/\//i.test(base)) return err('the document has no absolute server address; give one as "server"')
  const properties: JsonObject = {}
  const required: string[] = []
  const headers: JsonObject = {}
  const query: string[] = []
  const cookies: string[] = []
  const styles: Record<string, Style> = {}
  let target = path
  const away = [item["parameters"], operation["parameters"], [operation["requestBody"]]].flatMap((list) =>
    Array.isArray(list) ? list : [],
  )
  const lost = away.find((part) => isObject(part) && typeof part["$ref"] === "string" && !isObject(resolved(root, part)))
  if (isObject(lost)) return err(outsideOf(lost["$ref"]))
  for (const parameter of parametersOf(root, item, operation)) {
    const { name, in: place } = parameter
    if (typeof name !== "string" || typeof place !== "string") return err('it has a parameter without "name" or "in"')
    const isRequired = parameter["required"] === true || place === "path"
    if (place === "header" && /^(accept|content-type|authorization)$/i.test(name)) continue
    if (place === "cookie" && !isRequired) continue
    if (place === "cookie" && !COOKIE_NAME.test(name))
      return err(`its parameter ${JSON.stringify(name.slice(0, 100))} is not the name of a cookie`)
    const schema = { ...schemaOf(root, parameter, room, detail), ...described(parameter) }
    const sent = sentAs(parameter, place, schema)
    if (sent.form === "unfit") {
      if (isRequired) return err(`its parameter ${name} is ${sent.why}, which no template can send`)
      continue
    }
    const arg = argumentFor(name, properties)
    properties[arg] = sent.form === "text" ? listAsText(schema, sent.separator) : schema
    if (isRequired) required.push(arg)
    const reference = `\${{args.${arg}}}`
    if (sent.form === "value" && sent.style !== undefined) styles[name] = sent.style
    if (place === "path") target = target.replaceAll(`{${name}}`, reference)
    else if (place === "query") query.push(`${encodeURIComponent(name)}=${reference}`)
    else if (place === "cookie") cookies.push(`${name}=${reference}`)
    else headers[name] = reference
  }
  if (cookies.length > 0) headers["cookie"] = cookies.join("; ")
  const stray = /\{[^{}$]*\}(?!\})/.exec(target.replace(/\$\{\{[^}]*\}\}/g, ""))
  if (stray) return err(`its path has ${stray[0]}, but no parameter of that name exists`)
  const body = bodyOf({ root, operation, method }, room, detail)
  if (!body.ok) return body
  let template: Json | undefined
  if (body.value) {
    const arg = argumentFor("body", properties)
    properties[arg] = body.value.schema
    if (body.value.required) required.push(arg)
    template = `\${{args.${arg}}}`
    if (body.value.type !== "application/json") headers["content-type"] = body.value.type
  }
  const allStyles = {
    ...(Object.keys(styles).length === 0 ? {} : { query: styles }),
    ...defined({ body: body.value?.styles && { ...body.value.styles } }),
  }
  const texts = [operation["summary"], operation["description"]].filter((s) => typeof s === "string" && s !== "")
  return ok({
    description: (texts.join(". ") || `${method.toUpperCase()} ${path}`).slice(0, 4_000),
    parameters: { type: "object", properties, ...(required.length > 0 ? { required } : {}), additionalProperties: false },
    request: {
      method: method.toUpperCase(),
      url: `${base.replace(/\/$/, "")}${target}${query.length > 0 ? `${target.includes("?") ? "&" : "?"}${query.join("&")}` : ""}`,
      ...(Object.keys(headers).length > 0 ? { headers } : {}),
      ...defined({ body: template }),
      ...(Object.keys(allStyles).length === 0 ? {} : { styles: allStyles }),
    },
    ...defined({ auth }),
    untrusted: true,
  })
}

const COOKIE_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

/** A server's address, completed by that of the document. core has no URL: `/v2` is at its host, `v2` beside it. */
function completed(server: string, from: string): string {
  const [, host = "", folder = "/"] = /^(https?:\/\/[^/?#]+)(\/(?:[^?#]*\/)?)?/i.exec(from) ?? []
  if (/^https?:\/\//i.test(server)) return server
  if (server.startsWith("//")) return `${from.slice(0, from.indexOf(":") + 1)}${server}`
  return server.startsWith("/") ? host + server : host + folder + server.replace(/^\.\//, "")
}

/** The approximate number of tokens of the tool in a prompt, at four characters each. */
export const weightOf = (name: string, registration: JsonObject): number =>
  toolTokens(name, registration["description"], registration["parameters"])

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

const described = ({ description }: Record<string, unknown>): JsonObject =>
  typeof description === "string" && description !== "" ? { description: description.slice(0, 1_000) } : {}

function schemaOf(root: Record<string, unknown>, holder: Record<string, unknown>, room: Room, detail: Detail): JsonObject {
  const content = isObject(holder["content"]) ? Object.values(holder["content"])[0] : undefined
  const schema = inlined(root, holder["schema"] ?? (isObject(content) ? content["schema"] : undefined), room, detail)
  return isObject(schema) ? (schema as JsonObject) : {}
}
