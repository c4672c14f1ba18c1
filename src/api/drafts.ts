// Declares drafts of the catalog [F80]: folders for starts that name them.

import { CatalogPlanBody } from "./catalog.ts"
import { PAGE, type Routes } from "./route/route.ts"

export const drafts = {
  listDrafts: {
    method: "GET",
    path: "/v1/catalog/drafts",
    scope: "catalog:read",
    tag: "Catalog",
    summary: "List the catalog's drafts",
    query: PAGE,
    answers: { 200: { description: "All drafts, by name.", body: "Draft[]" } },
  },
  getDraft: {
    method: "GET",
    path: "/v1/catalog/drafts/:draft",
    scope: "catalog:read",
    tag: "Catalog",
    summary: "Read a draft's summary",
    answers: { 200: { description: "The draft.", body: "Draft" } },
  },
  putDraft: {
    method: "PUT",
    path: "/v1/catalog/drafts/:draft",
    scope: "catalog:write",
    tag: "Catalog",
    summary: "Write a draft: a folder for starts that name it",
    description:
      "The body is that of a plan, and is checked like an apply. A start names the draft as `flow@draft:NAME`. The catalog, its revisions, hooks and schedules stay unchanged; settings, callbacks, hooks and schedules of a draft take effect when the folder is applied. A draft is deleted 12 hours after its last write. Needs the scope admin too, if files that configure the tenant change.",
    body: CatalogPlanBody,
    answers: { 200: { description: "The draft, and the changes that its apply would make.", body: "DraftWritten" } },
    problems: ["not_written", "catalog_full", "too_many_drafts"],
  },
  deleteDraft: {
    method: "DELETE",
    path: "/v1/catalog/drafts/:draft",
    scope: "catalog:write",
    tag: "Catalog",
    summary: "Remove a draft",
    description: "Runs that started with it continue.",
    answers: { 204: { description: "Removed." } },
  },
} as const satisfies Routes
