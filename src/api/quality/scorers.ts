// Declares scorers [V1]: files of the catalog, and those that are built in.

import { FORCE, IF_MATCH, IF_NONE_MATCH, NOT_MODIFIED, PAGE, PAST_GATE, REVISION, type RouteDoc, type Routes } from "../route/route.ts"

const YAML = { "application/yaml": "text" } as const
const CODE = { "text/typescript": "text", "text/javascript": "text" } as const

const read = (summary: string, path: string, media: Readonly<Record<string, "text">>) =>
  ({
    method: "GET",
    path,
    scope: "catalog:read",
    tag: "Quality",
    summary,
    description: "Returns the text as written; with `Accept: application/json` also its hash and diagnostics.",
    query: { revision: REVISION },
    headers: { "if-none-match": IF_NONE_MATCH },
    answers: {
      200: { description: "The file.", body: { ...media, "application/json": "Definition" }, headers: ["etag"] },
      304: NOT_MODIFIED,
    },
  }) as const satisfies RouteDoc

const write = (summary: string, path: string, media: Readonly<Record<string, "text">>) =>
  ({
    method: "PUT",
    path,
    scope: "catalog:write",
    tag: "Quality",
    summary,
    description: "The file is checked first. If it has an error, nothing is written and the response lists the diagnostics.",
    query: { force: PAST_GATE },
    headers: { "if-match": IF_MATCH },
    media,
    answers: { 200: { description: "Written; the diagnostics may contain warnings.", body: "Written", headers: ["etag"] } },
    problems: ["not_written", "stale", "catalog_full", "gate_failed", "catalog_moved"],
  }) as const satisfies RouteDoc

const remove = (summary: string, path: string) =>
  ({
    method: "DELETE",
    path,
    scope: "catalog:write",
    tag: "Quality",
    summary,
    query: { force: FORCE },
    headers: { "if-match": IF_MATCH },
    answers: { 204: { description: "Removed." } },
    problems: ["stale", "invalid", "unsupported", "in_use", "gate_failed", "catalog_moved"],
  }) as const satisfies RouteDoc

export const scorers = {
  listScorers: {
    method: "GET",
    path: "/v1/scorers",
    scope: "catalog:read",
    tag: "Quality",
    summary: "List scorers",
    description: "A scorer says how good a run is: by an expectation, by code, or by a judge, which is an agent with a rubric.",
    query: PAGE,
    answers: { 200: { description: "All that load, including the built-in ones.", body: "Scorer[]" } },
  },
  getScorer: read("Read a scorer", "/v1/scorers/:scorer", YAML),
  putScorer: write("Write a scorer", "/v1/scorers/:scorer", YAML),
  deleteScorer: remove("Remove a scorer and its handler", "/v1/scorers/:scorer"),
  getScorerCode: read("Read a scorer's handler", "/v1/scorers/:scorer/code", CODE),
  putScorerCode: write("Write a scorer's handler", "/v1/scorers/:scorer/code", CODE),
} as const satisfies Routes
