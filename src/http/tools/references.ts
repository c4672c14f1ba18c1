// Serves references [C20–C22, T40]. Administrators define kinds like tools: settings that take effect at once, not catalog files that a run
// would pin. Any key that may call tools can read and write values. A missing reference is 404, for any reason.

import { err, type Result } from "../../core/result.ts"
import type { Json } from "../../core/json.ts"
import { isKindName, readReferenceKind, type ReferenceKind } from "../../core/references/reference-kind.ts"
import type { StoredReference } from "../../ports/references.ts"
import { parseJson } from "../middleware/body.ts"
import { param, routes, type Call } from "../middleware/call.ts"
import { invalid, NOT_FOUND, refuse, type Refusal } from "../middleware/problem.ts"
import { words } from "../middleware/query.ts"
import { references } from "../../api/references.ts"
import { cleanJson } from "../../engine/run/arrival.ts"

export const nameOfKind = (name: string): string | undefined =>
  isKindName(name) ? undefined : 'the name of a kind must have 1 to 64 letters, digits, "_" or "-", and start with a letter'

/** Checks the body of a kind. */
export function kindOf(_: Call, name: string, body: unknown): Result<ReferenceKind, Refusal> {
  const kind = readReferenceKind(name, body)
  return kind.ok ? kind : err(invalid(kind.error))
}

/** The body is the value. 201 for a new value, 200 for a known one. */
export async function createReference(c: Call): Promise<Response> {
  const origin = words("untrusted", c.req.query("untrusted"), ["0", "1"])
  if (!origin.ok) return refuse(c, origin.error)
  if (c.get("body").byteLength === 0) return refuse(c, invalid([{ pointer: "", message: "must be the value, as JSON" }]))
  const body = parseJson(c)
  if (!body.ok) return refuse(c, body.error)
  const { references, secrets } = c.get("tenant")
  const value = await cleanJson(body.value as Json, await secrets.redactor())
  const done = await references.create(param(c, "kind"), value, { tainted: origin.value?.includes("1") === true })
  if (done.ok) return c.json(shown(done.reference), done.isNew ? 201 : 200)
  if (done.code === "unknown_kind") return refuse(c, NOT_FOUND)
  return refuse(c, invalid(done.faults.map(({ path, message }) => ({ pointer: path, message }))))
}

/** `?glimpse=1`: without the value. */
export async function getReference(c: Call): Promise<Response> {
  const glimpse = words("glimpse", c.req.query("glimpse"), ["0", "1"])
  if (!glimpse.ok) return refuse(c, glimpse.error)
  const { references } = c.get("tenant")
  const [kind, id] = [param(c, "kind"), param(c, "id")]
  if (glimpse.value?.includes("1") === true) {
    const seen = await references.glimpse(kind, id)
    return seen.ok ? c.json(shown(seen.value)) : refuse(c, NOT_FOUND)
  }
  const found = await references.resolve(kind, id)
  return found.ok ? c.json({ ...shown(found.value), value: found.value.value }) : refuse(c, NOT_FOUND)
}

const shown = ({ kind, id, glimpse, tainted }: StoredReference): object => ({
  kind,
  id,
  glimpse,
  ...(tainted === true ? { untrusted: true } : {}),
})

export const REFERENCE_ROUTES = routes(references, { createReference, getReference })
