// Declares what all files of the catalog have: they are read, written and removed over HTTP [H5].

import { FORCE, IF_MATCH, IF_NONE_MATCH, NOT_MODIFIED, PAST_GATE, REVISION, type RouteDoc } from "./route.ts"

export const YAML = { "application/yaml": "text" } as const
export const MARKDOWN = { "text/markdown": "text" } as const
export const SKILL = { "text/markdown": "text", "text/plain": "text" } as const
export const CODE = { "text/typescript": "text", "text/javascript": "text" } as const

export const read = (summary: string, path: string, media: Readonly<Record<string, "text">>) =>
  ({
    method: "GET",
    path,
    scope: "catalog:read",
    tag: "Catalog",
    summary,
    description: "Returns the text as written; with `Accept: application/json` also its hash and diagnostics.",
    query: { revision: REVISION },
    headers: { "if-none-match": IF_NONE_MATCH },
    answers: {
      200: { description: "The definition.", body: { ...media, "application/json": "Definition" }, headers: ["etag"] },
      304: NOT_MODIFIED,
    },
  }) as const satisfies RouteDoc

export const write = (summary: string, path: string, media: Readonly<Record<string, "text">>) =>
  ({
    method: "PUT",
    path,
    scope: "catalog:write",
    tag: "Catalog",
    summary,
    description: "The definition is checked first. If it has an error, nothing is written and the response lists the diagnostics.",
    query: { force: PAST_GATE },
    headers: { "if-match": IF_MATCH },
    media,
    answers: { 200: { description: "Written; the diagnostics may contain warnings.", body: "Written", headers: ["etag"] } },
    problems: ["not_written", "stale", "catalog_full", "gate_failed", "gate_pending", "catalog_moved"],
  }) as const satisfies RouteDoc

export const remove = (summary: string, path: string) =>
  ({
    method: "DELETE",
    path,
    scope: "catalog:write",
    tag: "Catalog",
    summary,
    query: { force: PAST_GATE },
    headers: { "if-match": IF_MATCH },
    answers: { 204: { description: "Removed." } },
    problems: ["stale", "invalid", "unsupported", "gate_failed", "gate_pending", "catalog_moved"],
  }) as const satisfies RouteDoc

/** [F76] Of a definition that others may name. */
export const removeNamed = (summary: string, path: string) =>
  ({
    ...remove(summary, path),
    query: { force: FORCE },
    problems: ["stale", "invalid", "unsupported", "in_use", "gate_failed", "gate_pending", "catalog_moved"],
  }) as const satisfies RouteDoc
