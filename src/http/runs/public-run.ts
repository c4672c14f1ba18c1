// Limits the access of a public token [H1]: to a run, its events, its questions and its named files, as a page may show them to anyone.

import { normalizePath } from "../../core/text/path.ts"
import { isPublicQuestion, publicFiles, publicInteraction, publicRun } from "../../core/run/views/public.ts"
import type { InteractionView, RunView } from "../../core/run/views/view.ts"
import type { RunPort } from "../../ports/run.ts"
import type { Call } from "../middleware/call.ts"

/** Tells whether the caller has a public token. */
export const isPage = (c: Call): boolean => c.get("caller").view === "public"

export const shownRun = (c: Call, view: RunView) => (isPage(c) ? publicRun(view) : view)

export const shownInteraction = (c: Call, found: InteractionView) => (isPage(c) ? publicInteraction(found) : found)

/** Tells whether the caller may see a question: approvals are hidden from pages. */
export const maySee = (c: Call, found: InteractionView): boolean => !isPage(c) || isPublicQuestion(found)

/** The files that the caller may read. */
export async function readable(c: Call, run: RunPort | undefined): Promise<(path: string) => boolean> {
  if (!isPage(c)) return () => true
  const view = await run?.view()
  const named = [...(view ? publicFiles(view) : [])].map(normalizePath)
  const paths = new Set(named.flatMap((path) => (path.ok ? [path.value] : [])))
  return (path) => paths.has(path)
}
