// Serves the catalog as a whole [F71, F72]: its files, old revisions and their differences, replace and export. Its ETag is its revision.

import { isoTimes } from "../../core/text/iso-time.ts"
import { json } from "../middleware/body.ts"
import { refused } from "./bundle.ts"
import { revisionOf } from "./catalog.ts"
import { writing } from "./past-gate.ts"
import { routes, type Call } from "../middleware/call.ts"
import { ifRevision, revisionTag, stale } from "../middleware/conditions.ts"
import { invalid, refuse, type Refusal } from "../middleware/problem.ts"
import { page } from "../middleware/page.ts"
import { oneWord, whole } from "../middleware/query.ts"
import { catalog, RollbackBody, USED_KINDS } from "../../api/catalog.ts"
import { defined } from "../../core/defined.ts"

const noRevision = (pointer: string, latest: number): Refusal =>
  invalid([{ pointer, message: `must be an existing revision; the latest is ${latest}` }])

export async function getCatalog(c: Call): Promise<Response> {
  const revision = revisionOf(c)
  if (!revision.ok) return refuse(c, revision.error)
  const port = c.get("tenant").catalog
  const found = revision.value === undefined ? await port.files() : await port.filesAt(revision.value)
  if ("ok" in found) return refuse(c, noRevision("?revision", found.latest))
  return c.json({ data: found.data, next_cursor: null, revision: found.revision }, 200, { etag: revisionTag(found.revision) })
}

/** [N3] Exactly the body that `PUT /v1/catalog` takes. */
export async function exportCatalog(c: Call): Promise<Response> {
  const found = await c.get("tenant").catalog.export()
  if (found.ok) return c.json(found.bundle, 200, { etag: revisionTag(found.revision) })
  const paths = found.lost.join(", ")
  return refuse(c, {
    code: "catalog_lost",
    detail: `The stored bodies of these files are lost: ${paths}. Write them again or delete them, then export.`,
    more: { lost: found.lost },
  })
}

/** [H5] Newest first. */
export async function getHistory(c: Call): Promise<Response> {
  const limit = whole("limit", c.req.query("limit"), { min: 1, max: 200, otherwise: 50 })
  if (!limit.ok) return refuse(c, limit.error)
  const cursor = c.req.query("cursor")
  const found = await c.get("tenant").catalog.history({ limit: limit.value, ...defined({ cursor }) })
  if ("badCursor" in found)
    return refuse(c, invalid([{ pointer: "?cursor", message: "is not a cursor of this list; send the `next_cursor` of the page before" }]))
  return c.json({ ...found, data: found.data.map((row) => isoTimes(row, "at")) })
}

/** `?to=` alone compares that revision with the one before it; without parameters, the latest with the one before. */
export async function getDiff(c: Call): Promise<Response> {
  const query: { from?: number; to?: number; path?: string } = {}
  for (const name of ["from", "to"] as const) {
    const given = c.req.query(name)
    const revision = whole(name, given, { min: 0, max: Number.MAX_SAFE_INTEGER, otherwise: 0 })
    if (!revision.ok) return refuse(c, revision.error)
    if (given !== undefined) query[name] = revision.value
  }
  const path = c.req.query("path")
  if (path !== undefined) query.path = path
  const found = await c.get("tenant").catalog.diff(query)
  if (!found.ok) return refuse(c, noRevision((query.to ?? 0) > found.latest ? "?to" : "?from", found.latest))
  return c.json({ from: found.from, to: found.to, data: found.data })
}

/** Writes a new revision with the content of an old one. */
export async function rollBack(c: Call): Promise<Response> {
  const body = json(c, RollbackBody)
  if (!body.ok) return refuse(c, body.error)
  const condition = ifRevision(c)
  if (!condition.ok) return refuse(c, condition.error)
  const ports = writing(c)
  if (!ports.ok) return ports.error
  const result = await ports.value.catalog.rollback(body.value.revision, condition.value)
  if ("stale" in result) return stale(c, result.stale)
  if ("code" in result) return refuse(c, noRevision("/revision", result.latest))
  if (!result.ok) return refused(c, result.diagnostics, false)
  return c.json({ revision: result.revision, diagnostics: result.diagnostics }, 200, { etag: revisionTag(result.revision) })
}

/** Lists agents or skills with their uses. */
export async function listUsed(c: Call): Promise<Response> {
  const kind = oneWord("kind", c.req.query("kind"), USED_KINDS)
  if (!kind.ok) return refuse(c, kind.error)
  return page(c, await c.get("tenant").catalog.used(kind.value ?? "agent", c.req.query("id")))
}

export const CATALOG_ROUTES = routes(catalog, {
  getCatalog,
  listUsed,
  exportCatalog,
  listRevisions: getHistory,
  diffCatalog: getDiff,
  rollBackCatalog: rollBack,
})
