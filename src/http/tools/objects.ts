// Serves a tenant's shared files [T24], which people write for tools to read, and signed links, which work without a key. A link always
// returns a download, so a browser never runs the file's content.

import { normalizePath } from "../../core/text/path.ts"
import type { Result } from "../../core/result.ts"
import type { Objects } from "../../ports/tool.ts"
import { addressAt } from "../middleware/address.ts"
import { param, routes, type Call } from "../middleware/call.ts"
import { disposition, servedType } from "../middleware/download.ts"
import { invalid, NOT_FOUND, refuse, type Refusal } from "../middleware/problem.ts"
import { whole } from "../middleware/query.ts"
import { tools } from "../../api/tools.ts"
import { defined } from "../../core/defined.ts"

const MAX_LISTED = 1000 // limit: shared files of a page → 422 at `?limit`

const objectsOf = (c: Call): Objects | undefined => c.get("tenant").powers(addressAt(c, "")).objects

const UNKEYED: Refusal = { code: "not_configured", detail: "This instance has no shared files." }

/** A malformed key names nothing; a write of one says what is wrong with it. */
const keyOf = (c: Call): Result<string, string> => normalizePath(param(c, "key"))

/** Stores the body as it is. `?untrusted=1`: its text comes from outside and taints its readers [G11]. */
export async function putObject(c: Call): Promise<Response> {
  const objects = objectsOf(c)
  const key = keyOf(c)
  if (!objects) return refuse(c, UNKEYED)
  if (!key.ok) return refuse(c, invalid([{ pointer: "", message: key.error }]))
  const untrusted = c.req.query("untrusted") ?? "0"
  if (untrusted !== "0" && untrusted !== "1") return refuse(c, invalid([{ pointer: "?untrusted", message: "must be 0 or 1" }]))
  const contentType = c.req.header("content-type")?.slice(0, 200)
  const body = c.get("body")
  try {
    await objects.put(key.value, body, { ...defined({ contentType }), tainted: untrusted === "1" })
  } catch (e) {
    if (e instanceof Error && e.name === "StorageError") return refuse(c, { code: "storage_full", detail: `${e.message}.` })
    throw e
  }
  return c.json({ key: key.value, size: body.byteLength, untrusted: untrusted === "1" })
}

export async function listObjects(c: Call): Promise<Response> {
  const objects = objectsOf(c)
  if (!objects) return refuse(c, UNKEYED)
  const limit = whole("limit", c.req.query("limit"), { min: 1, max: MAX_LISTED, otherwise: 100 })
  if (!limit.ok) return refuse(c, limit.error)
  const prefix = c.req.query("prefix") ?? ""
  const path = prefix === "" ? undefined : normalizePath(prefix.replace(/\/$/, ""))
  if (path && !path.ok) return refuse(c, invalid([{ pointer: "?prefix", message: path.error }]))
  const rows = await objects.list(prefix, limit.value, c.req.query("cursor"))
  const data = rows.map(({ key, size }) => ({ key, size }))
  return c.json({ data, next_cursor: rows.length === limit.value ? (rows.at(-1)?.key ?? null) : null })
}

export async function deleteObject(c: Call): Promise<Response> {
  const key = keyOf(c)
  const isGone = key.ok && (await objectsOf(c)?.remove(key.value)) === true
  return isGone ? new Response(null, { status: 204 }) : refuse(c, NOT_FOUND)
}

export async function openLink(c: Call): Promise<Response> {
  const found = await c.get("services").download(param(c, "token"))
  if (found === "refused") return refuse(c, { code: "link_refused", detail: "The link has expired or is not valid. Ask for a new one." })
  if (found === undefined) return refuse(c, NOT_FOUND)
  const headers = { "content-type": servedType(found.contentType), "content-disposition": disposition(found.name) }
  return new Response(found.body, { headers: { ...headers, "content-length": String(found.size) } })
}

export const OBJECT_ROUTES = routes(tools, { listObjects, putObject, deleteObject, openFileLink: openLink })
