// A run's workspace and its truncated tool outputs, as bytes. What a model wrote is served as text or octets, never as a page.

import { normalizePath } from "../../core/text/path.ts"
import { sha256 } from "../../engine/sha256.ts"
import { decode } from "../middleware/body.ts"
import { param, routes, type Call } from "../middleware/call.ts"
import { NOT_FOUND, refuse } from "../middleware/problem.ts"
import { page } from "../middleware/page.ts"
import { runOf } from "./runs.ts"
import { runs } from "../../api/runs.ts"

export async function listFiles(c: Call): Promise<Response> {
  const files = await runOf(c)?.files()
  return files
    ? page(
        c,
        files.map((f) => ({ ...f, modified: new Date(f.modified).toISOString() })),
      )
    : refuse(c, NOT_FOUND)
}

export async function getFile(c: Call): Promise<Response> {
  const path = normalizePath(param(c, "path"))
  const found = path.ok ? await runOf(c)?.file(path.value) : undefined
  return found ? bytes(c, found.body, found.entry.hash) : refuse(c, NOT_FOUND)
}

/** [T5] The whole of an output that was truncated. */
export async function getOutput(c: Call): Promise<Response> {
  const body = await runOf(c)?.output(param(c, "handle"))
  return body ? bytes(c, body, await sha256(body)) : refuse(c, NOT_FOUND)
}

function bytes(c: Call, body: Uint8Array, hash: string): Response {
  const etag = `"${hash}"`
  if (matches(c.req.header("if-none-match"), etag)) return new Response(null, { status: 304, headers: { etag } })
  const text = decode(body)
  const type = text === undefined || text.includes("\0") ? "application/octet-stream" : "text/plain; charset=utf-8"
  return new Response(new Uint8Array(body), { headers: { "content-type": type, "content-length": String(body.byteLength), etag } })
}

/** If-None-Match compares weakly: a list of tags, or `*`. */
export const matches = (header: string | undefined, etag: string): boolean =>
  header !== undefined && header.split(",").some((tag) => tag.trim() === "*" || tag.trim().replace(/^W\//, "") === etag)

export const FILE_ROUTES = routes(runs, { listFiles, getFile, getOutput })
