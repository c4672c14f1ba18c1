// Applies a folder to the catalog [F78]: PUT replaces folders, PATCH writes files and deletes named files, and a plan previews either.

import { isoTimes } from "../../core/text/iso-time.ts"
import type { z } from "zod"
import { err, ok, type Result } from "../../core/result.ts"
import type { ApplyWish } from "../../ports/tenant/authoring/apply.ts"
import { BundleBody, catalog, MergeBody, CatalogPlanBody } from "../../api/catalog.ts"
import { defined } from "../../core/defined.ts"
import { json } from "../middleware/body.ts"
import { routes, type Call } from "../middleware/call.ts"
import { ifRevision, revisionTag, stale } from "../middleware/conditions.ts"
import { invalid, refuse, type Refusal } from "../middleware/problem.ts"
import { refused } from "./bundle.ts"
import { addressOf } from "../middleware/address.ts"
import { writing } from "./past-gate.ts"

interface Wish {
  readonly wish: ApplyWish
  readonly ifRevision: number | undefined
}

const PROJECT = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/

async function replaceCatalog(c: Call): Promise<Response> {
  const body = json(c, BundleBody)
  return applied(c, body.ok ? wishOf(c, { mode: "replace", bundle: body.value }) : body)
}

async function mergeCatalog(c: Call): Promise<Response> {
  const body = json(c, MergeBody)
  if (!body.ok) return refuse(c, body.error)
  const { delete: gone = [], ...bundle } = body.value
  return applied(c, wishOf(c, { mode: "merge", bundle, delete: gone }))
}

async function applied(c: Call, wish: Result<Wish, Refusal>): Promise<Response> {
  if (!wish.ok) return refuse(c, wish.error)
  const ports = writing(c)
  if (!ports.ok) return ports.error
  const result = await ports.value.catalog.apply(wish.value.wish, wish.value.ifRevision)
  if ("stale" in result) return stale(c, result.stale)
  if (!result.ok) return refused(c, result.diagnostics, true)
  const { ok: _ok, ...answer } = result
  return c.json(answer, 200, { etag: revisionTag(result.revision) })
}

async function planCatalog(c: Call): Promise<Response> {
  const body = json(c, CatalogPlanBody)
  if (!body.ok) return refuse(c, body.error)
  const asked = plannedOf(body.value)
  const wish = asked.ok ? wishOf(c, asked.value) : asked
  if (!wish.ok) return refuse(c, wish.error)
  const result = await c.get("tenant").catalog.plan(wish.value.wish, wish.value.ifRevision)
  if ("stale" in result) return stale(c, result.stale)
  if (!result.ok) return refused(c, result.diagnostics, true)
  const { ok: _ok, drift, ...answer } = result
  const changes = drift.changes.map((row) => isoTimes(row, "at"))
  return c.json({ ...answer, drift: { ...drift, changes } }, 200, { etag: revisionTag(result.revision) })
}

/** The input of a plan or a draft. */
export function plannedOf({ mode, delete: gone = [], ...bundle }: z.output<typeof CatalogPlanBody>): Result<ApplyWish, Refusal> {
  if (mode === "replace" && gone.length > 0)
    return err(invalid([{ pointer: "/delete", message: "needs the mode merge: replace removes whatever is not sent" }]))
  const wish = { mode, bundle, delete: gone }
  return hasNothing(wish) ? err(NOTHING) : ok(wish)
}

const hasNothing = (wish: ApplyWish): boolean => Object.keys(wish.bundle).length === 0 && (wish.delete ?? []).length === 0
const NOTHING: Refusal = invalid([{ pointer: "", message: `must have at least one of ${Object.keys(BundleBody.shape).join(", ")}` }])

function wishOf(c: Call, wish: ApplyWish): Result<Wish, Refusal> {
  if (hasNothing(wish)) return err(NOTHING)
  const project = c.req.query("project")
  if (project !== undefined && !PROJECT.test(project)) {
    const message = 'must have 1 to 100 letters, digits, ".", "-" or "_", and begin with a letter or digit'
    return err(invalid([{ pointer: "?project", message }]))
  }
  const condition = ifRevision(c)
  if (!condition.ok) return condition
  return ok({ wish: { ...wish, ...addressOf(c), ...defined({ project }) }, ifRevision: condition.value })
}

export const APPLY_ROUTES = routes(catalog, { replaceCatalog, mergeCatalog, planCatalog })
