// Serves /v1/catalog/drafts [F80]: folders over the catalog for starts that name them.

import type { Draft } from "../../api/doc/drafts.doc.ts"
import { isoTime, isoTimes } from "../../core/text/iso-time.ts"
import { CatalogPlanBody } from "../../api/catalog.ts"
import { drafts } from "../../api/drafts.ts"
import { short } from "../../core/text/pointer.ts"
import { DRAFT_NAME, MAX_DRAFTS, type DraftRow } from "../../ports/tenant/authoring/drafts.ts"
import { json } from "../middleware/body.ts"
import { param, routes, type Call } from "../middleware/call.ts"
import { page } from "../middleware/page.ts"
import { invalid, NOT_FOUND, refuse } from "../middleware/problem.ts"
import { plannedOf } from "./apply.ts"
import { refused } from "./bundle.ts"

const listDrafts = async (c: Call): Promise<Response> => page(c, (await c.get("tenant").catalog.drafts()).map(shown))

async function getDraft(c: Call): Promise<Response> {
  const draft = await c.get("tenant").catalog.draft(param(c, "draft"))
  return draft ? c.json(shown(draft)) : refuse(c, NOT_FOUND)
}

async function putDraft(c: Call): Promise<Response> {
  const name = param(c, "draft")
  if (!DRAFT_NAME.test(name)) {
    const message = `${JSON.stringify(short(name))} is not a name for a draft: use up to 40 lowercase letters, digits and "-", and begin with a letter`
    return refuse(c, invalid([{ pointer: "", message }]))
  }
  const body = json(c, CatalogPlanBody)
  if (!body.ok) return refuse(c, body.error)
  const wish = plannedOf(body.value)
  if (!wish.ok) return refuse(c, wish.error)
  const written = await c.get("tenant").catalog.putDraft(name, wish.value)
  if (written.ok) {
    const { ok: _ok, draft, ...outcome } = written
    return c.json({ ...shown(draft), ...outcome })
  }
  if (written.code === "invalid") return refused(c, written.diagnostics, true)
  const detail = `A tenant has at most ${MAX_DRAFTS} drafts. Remove one with DELETE /v1/catalog/drafts/NAME: ${written.names.join(", ")}.`
  return refuse(c, { code: "too_many_drafts", detail })
}

async function deleteDraft(c: Call): Promise<Response> {
  return (await c.get("tenant").catalog.removeDraft(param(c, "draft"))) ? c.body(null, 204) : refuse(c, NOT_FOUND)
}

const shown = ({ name, expires, ...row }: DraftRow): Draft => ({
  draft: name,
  ...isoTimes(row, "created", "at"),
  expires_at: isoTime(expires),
})

export const DRAFT_ROUTES = routes(drafts, { listDrafts, getDraft, putDraft, deleteDraft })
