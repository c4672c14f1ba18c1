// Reads the body of an OpenAPI operation [T26]: JSON, otherwise a form. File fields of a form are left out, because a tool sends text.

import { isObject, type JsonObject } from "../json.ts"
import { err, ok, type Result } from "../result.ts"
import type { Style, Styles } from "./http-template.ts"
import { inlined, resolved, type Detail, type Room } from "./openapi-schema.ts"

export interface Body {
  readonly schema: JsonObject
  readonly type: string
  readonly required: boolean
  readonly styles?: Styles
}

const WANTED = [/^application\/json\b/i, /[/+]json\b/i, /^application\/x-www-form-urlencoded\b/i, /^multipart\/form-data\b/i, /^\*\/\*/]

/** The operation of a document, and how much of its schemas a tool shows. */
export interface BodySource {
  readonly root: Record<string, unknown>
  readonly operation: Record<string, unknown>
  readonly method: string
}

export function bodyOf({ root, operation, method }: BodySource, room: Room, detail: Detail): Result<Body | undefined, string> {
  const body = resolved(root, operation["requestBody"])
  if (!isObject(body) || method === "get" || method === "head") return ok(undefined)
  const content = isObject(body["content"]) ? body["content"] : {}
  const types = Object.keys(content)
  const type = WANTED.flatMap((wanted) => types.find((one) => wanted.test(one)) ?? [])[0]
  const isRequired = body["required"] === true
  if (type === undefined)
    return isRequired
      ? err(`its body is ${types.join(", ").slice(0, 200) || "without a type"}; only JSON and forms can be sent`)
      : ok(undefined)
  const given = content[type]
  const media = isObject(given) ? given : {}
  if (/^multipart/i.test(type) && media["schema"] === undefined)
    return isRequired ? err("its body is multipart/form-data, and the document does not say which fields it has") : ok(undefined)
  const inside = inlined(root, media["schema"], room, detail)
  const about =
    typeof body["description"] === "string" && body["description"] !== "" ? { description: body["description"].slice(0, 1_000) } : {}
  const schema: JsonObject = { ...(isObject(inside) ? (inside as JsonObject) : {}), ...about }
  if (/json|\*/i.test(type))
    return ok({ schema, type: /^application\/json\b|\*/i.test(type) ? "application/json" : type, required: isRequired })
  const styles = stylesOf(root, media)
  const formType = /^multipart/i.test(type) ? "multipart/form-data" : "application/x-www-form-urlencoded"
  return form(schema, formType, isRequired, styles)
}

function form(schema: JsonObject, type: string, required: boolean, styles: Styles): Result<Body, string> {
  const members = isObject(schema["properties"]) ? schema["properties"] : {}
  const files = Object.entries(members).flatMap(([name, member]) => (isFile(member) ? [name] : []))
  const needed = Array.isArray(schema["required"]) ? schema["required"] : []
  const missing = files.find((name) => needed.includes(name))
  if (missing !== undefined) return err(`it needs the file ${missing.slice(0, 100)}, and a tool sends no files`)
  const kept =
    files.length === 0
      ? schema
      : { ...schema, properties: Object.fromEntries(Object.entries(members).filter(([name]) => !files.includes(name))) as JsonObject }
  const named = kept["type"] === undefined ? { type: "object", ...kept } : kept
  return ok({ schema: named, type, required, ...(Object.keys(styles).length === 0 ? {} : { styles }) })
}

const isFile = (member: unknown): boolean =>
  isObject(member) &&
  (member["format"] === "binary" ||
    member["contentMediaType"] === "application/octet-stream" ||
    (isObject(member["items"]) && isFile(member["items"])))

/** Fields whose `encoding` says deepObject. */
function stylesOf(root: Record<string, unknown>, media: Record<string, unknown>): Record<string, Style> {
  const encoding = isObject(media["encoding"]) ? media["encoding"] : {}
  return Object.fromEntries(
    Object.entries(encoding).flatMap(([name, one]) => {
      const said = resolved(root, one)
      return isObject(said) && said["style"] === "deepObject" ? [[name, "deep"] as const] : []
    }),
  )
}
