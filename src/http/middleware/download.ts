// Sends bytes as a download: whole or a part, with an ETag, and never as something that a browser would run. A file keeps its type only if
// browsers merely display it. The Worker's headers forbid guessing a different type.

import { mediaTypeOf } from "../../core/run/given-file.ts"
import { decode } from "./body.ts"
import type { Call } from "./call.ts"
import { refuse } from "./problem.ts"

const HARMLESS = /^(?:image\/(?:png|jpeg|gif|webp)|audio\/[\w.+-]+|video\/[\w.+-]+|application\/pdf|text\/plain|text\/csv)$/

/** The content type for a file, whatever type it claims. */
export function servedType(claimed: string | undefined): string {
  const given = (claimed ?? "").split(";")[0]?.trim().toLowerCase() ?? ""
  return !HARMLESS.test(given) ? "application/octet-stream" : given.startsWith("text/") ? `${given}; charset=utf-8` : given
}

/** RFC 6266: the name in ASCII for old clients, and complete in UTF-8. */
export function disposition(name: string): string {
  const ascii = name.replace(/[^\w.-]/g, "_")
  const utf8 = encodeURIComponent(name).replace(/['()*!]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
  return `attachment; filename="${ascii}"; filename*=UTF-8''${utf8}`
}

/** RFC 9110: 304 for a body that the caller has, 206 for one range, 416 for a range outside the body. Several ranges are answered whole. */
export function downloaded(c: Call, body: Uint8Array, hash: string, path?: string): Response {
  const etag = `"${hash}"`
  if (matches(c.req.header("if-none-match"), etag)) return new Response(null, { status: 304, headers: { etag } })
  const name = path === undefined ? {} : { "content-disposition": disposition(path.slice(path.lastIndexOf("/") + 1)) }
  const headers = { "content-type": typeOf(body, path), etag, "accept-ranges": "bytes", ...name }
  const asked = rangeOf(c.req.header("range"), body.byteLength)
  const isWhole = asked === undefined || (c.req.header("if-range") ?? etag) !== etag
  if (isWhole) return new Response(new Uint8Array(body), { headers: { ...headers, "content-length": String(body.byteLength) } })
  if (asked === "outside") {
    const headers = { "content-range": `bytes */${body.byteLength}` }
    return refuse(c, { code: "range", detail: `The file has ${body.byteLength} bytes: request a range within them.`, headers })
  }
  const { from, to } = asked
  const part = new Uint8Array(body.subarray(from, to + 1))
  const where = { "content-range": `bytes ${from}-${to}/${body.byteLength}`, "content-length": String(part.byteLength) }
  return new Response(part, { status: 206, headers: { ...headers, ...where } })
}

function typeOf(body: Uint8Array, path: string | undefined): string {
  const known = path === undefined ? undefined : mediaTypeOf(path)
  if (known !== undefined) return servedType(known)
  const text = decode(body)
  return text === undefined || text.includes("\0") ? "application/octet-stream" : "text/plain; charset=utf-8"
}

/** undefined: no range, or none that is understood. */
function rangeOf(header: string | undefined, size: number): { readonly from: number; readonly to: number } | "outside" | undefined {
  const [, first = "", last = ""] = /^\s*bytes\s*=\s*(\d{0,15})\s*-\s*(\d{0,15})\s*$/i.exec(header ?? "") ?? []
  if (first === "" && last === "") return undefined
  if (first === "") return Number(last) === 0 || size === 0 ? "outside" : { from: Math.max(0, size - Number(last)), to: size - 1 }
  const from = Number(first)
  if (last !== "" && Number(last) < from) return undefined
  return from >= size ? "outside" : { from, to: last === "" ? size - 1 : Math.min(size - 1, Number(last)) }
}

/** If-None-Match compares weakly: a list of tags, or `*`. */
export const matches = (header: string | undefined, etag: string): boolean =>
  header !== undefined && header.split(",").some((tag) => tag.trim() === "*" || tag.trim().replace(/^W\//, "") === etag)
