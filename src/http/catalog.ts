// The tenant's definitions over HTTPS [http.md §3]: raw text in and out, the seed's `{written, path, diagnostics}` as answer to a write.
//
// Which paths and names are safe is the catalog's own judgement: a name it refuses is `written: false`, and nothing is touched.

import { accepts } from "hono/accepts"
import { z } from "zod"
import { isFlowId } from "../core/flow/path-id.ts"
import { verdict, type Diagnostic } from "../core/diagnostic.ts"
import type { Kind, WriteResult } from "../ports/catalog.ts"
import { json, text } from "./body.ts"
import { param, type Call, type Handler } from "./call.ts"
import { matches } from "./files.ts"
import { faultOf, invalid, NOT_FOUND, pointerStep, refuse, short, unsupported, type Fault, type Refusal } from "./problem.ts"
import { page } from "./query.ts"

/** Where a definition of each kind stands in a URL: its id, its usual path, its media type. */
interface Shelf {
  readonly kind: Kind
  readonly id: (c: Call) => string
  readonly path: (id: string) => string
  readonly type: (id: string) => string
}

const flowFile = (id: string): string => `flows/${id.replaceAll(":", "/")}`

export const FLOWS: Shelf = {
  kind: "flow",
  id: (c) => param(c, "flow"),
  path: (id) => `${flowFile(id)}.yaml`,
  type: () => "application/yaml",
}
export const REHEARSALS: Shelf = { ...FLOWS, kind: "rehearsal", path: (id) => `${flowFile(id)}.rehearsal.yaml` }
export const AGENTS: Shelf = { kind: "agent", id: (c) => param(c, "agent"), path: (id) => `agents/${id}.md`, type: () => "text/markdown" }
export const SKILLS: Shelf = {
  kind: "skill",
  id: (c) => `${param(c, "skill")}/${param(c, "file")}`,
  path: (id) => `skills/${id}`,
  type: (id) => (id.endsWith(".md") ? "text/markdown" : "text/plain"),
}

export const listOf =
  (shelf: Shelf): Handler =>
  async (c) => {
    const { revision, data } = await c.get("tenant").tenant.files(shelf.kind)
    return page(c, data, { revision })
  }

export const read =
  (shelf: Shelf): Handler =>
  async (c) => {
    const id = shelf.id(c)
    const found = await c.get("tenant").tenant.read(shelf.kind, id)
    if (!found) return refuse(c, NOT_FOUND)
    const etag = `"${found.hash}"`
    if (matches(c.req.header("if-none-match"), etag)) return new Response(null, { status: 304, headers: { etag } })
    const wanted = accepts(c, { header: "Accept", supports: [shelf.type(id), "application/json"], default: shelf.type(id) })
    if (wanted !== "application/json") return new Response(found.content, { headers: { "content-type": `${wanted}; charset=utf-8`, etag } })
    return c.json(
      { id: found.id, path: found.path, tier: found.tier, hash: found.hash, content: found.content, diagnostics: found.diagnostics },
      200,
      { etag },
    )
  }

export const write =
  (shelf: Shelf): Handler =>
  async (c) => {
    const id = shelf.id(c)
    if (shelf.id === FLOWS.id && !isFlowId(id)) {
      return refuse(
        c,
        invalid([{ pointer: "", message: `${JSON.stringify(short(id))} is no flow id: letters, digits, _ and -, folders joined by ":"` }]),
      )
    }
    const content = text(c)
    if (!content.ok) return refuse(c, content.error)
    const condition = ifMatch(c)
    if (condition.refusal) return refuse(c, condition.refusal)
    const { tenant } = c.get("tenant")
    // [F5] A flow may stand in a folder of its own: it is written where it is, not beside itself.
    const stored = shelf.kind === "flow" ? await tenant.read("flow", id) : undefined
    const path = stored?.tier === "local" ? stored.path : shelf.path(id)
    const result = await tenant.put(shelf.kind, path, content.value, condition.hash)
    if ("stale" in result) return stale(c, result.stale)
    if (!result.written) return refuse(c, notWritten(result))
    return c.json(seedShape(result), 200, result.hash === undefined ? {} : { etag: `"${result.hash}"` })
  }

export const remove =
  (shelf: Shelf): Handler =>
  async (c) => {
    if (c.req.header("if-match") !== undefined) return refuse(c, unsupported("If-Match on DELETE"))
    const gone = await c.get("tenant").tenant.remove(shelf.kind, shelf.id(c))
    return gone ? c.body(null, 204) : refuse(c, NOT_FOUND)
  }

/** [F73] One strong tag, as GET's ETag gave it. A precondition that cannot be kept is refused, never ignored. */
function ifMatch(c: Call): { readonly hash?: string; readonly refusal?: Refusal } {
  if (c.req.header("if-none-match") !== undefined) return { refusal: unsupported("If-None-Match on PUT") }
  const header = c.req.header("if-match")
  if (header === undefined) return {}
  const hash = /^"?([0-9a-f]{1,128})"?$/.exec(header.trim())?.[1]
  if (hash !== undefined) return { hash }
  return { refusal: invalid([{ pointer: "", message: "the header If-Match must be one ETag, as GET gave it" }]) }
}

const stale = (c: Call, current: string | null): Response =>
  refuse(c, {
    code: "stale",
    detail: current === null ? "There is nothing stored to match." : `What is stored now has the hash ${current}.`,
    more: { current },
    headers: current === null ? {} : { etag: `"${current}"` },
  })

/** [pi-flows.md §7.6] */
const seedShape = (result: WriteResult) => ({
  written: result.written,
  path: result.path,
  diagnostics: result.diagnostics,
  ...(result.error === undefined ? {} : { error: result.error }),
})

function notWritten(result: WriteResult): Refusal {
  const errors = result.diagnostics.filter((d) => d.severity === "error").map((d) => faultOf(d))
  const detail = result.error ?? (errors.map((e) => `line ${e.line}: ${e.message}`).join("; ") || "The catalog refused it.")
  return { code: "not_written", detail, errors, more: seedShape(result) }
}

const texts = z.record(z.string(), z.string()).exactOptional()
const BundleBody = z.strictObject({ agents: texts, flows: texts, skills: texts, code: texts })

/** [F71] A whole bundle, all or nothing; a kind that is absent is left alone. */
export async function replaceCatalog(c: Call): Promise<Response> {
  const body = json(c, BundleBody)
  if (!body.ok) return refuse(c, body.error)
  if (Object.keys(body.value).length === 0) {
    return refuse(c, invalid([{ pointer: "", message: "an empty bundle replaces nothing: send at least one of agents, flows, skills" }]))
  }
  if (Object.keys(body.value.code ?? {}).length > 0) return refuse(c, unsupported("code", "/code"))
  const result = await c.get("tenant").tenant.replace(body.value)
  if (result.ok) return c.json({ revision: result.revision, diagnostics: result.diagnostics })
  const errors = Object.entries(result.diagnostics).flatMap(([path, list]) =>
    list.filter((d) => d.severity === "error").map((d) => inBundle(path, d)),
  )
  const detail = errors.map((e) => `${e.pointer}:${e.line} ${e.message}`).join("; ")
  return refuse(c, {
    code: "not_written",
    detail: `Nothing was changed. ${detail}`.trim(),
    errors,
    more: { diagnostics: result.diagnostics },
  })
}

/** `skills/s/SKILL.md` is the member `s/SKILL.md` of `skills`. */
function inBundle(path: string, d: Diagnostic): Fault {
  const [kind = "", ...rest] = path.split("/")
  return faultOf(d, pointerStep(kind) + (rest.length === 0 ? "" : pointerStep(rest.join("/"))))
}

export async function getCatalog(c: Call): Promise<Response> {
  if (c.req.query("revision") !== undefined) return refuse(c, unsupported("reading an older revision", "?revision"))
  const { revision, data } = await c.get("tenant").tenant.files()
  return page(c, data, { revision })
}

const ValidateBody = z.strictObject({
  kind: z.enum(["flow", "agent", "skill", "rehearsal"]),
  content: z.string(),
  path: z.string().min(1).max(1024).exactOptional(),
})

/** [F2] Every fault at once; an invalid file is a 200 with `valid: false`. */
export async function validate(c: Call): Promise<Response> {
  const body = json(c, ValidateBody)
  if (!body.ok) return refuse(c, body.error)
  return c.json(verdict(await c.get("tenant").tenant.validate(body.value.kind, body.value.content, body.value.path)))
}
