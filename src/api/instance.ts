// Declares the routes of the instance itself: health, readiness, and the document of the API.

import { IF_NONE_MATCH, NOT_MODIFIED, type Routes } from "./route/route.ts"

export const instance = {
  getFirstPage: {
    method: "GET",
    path: "/",
    scope: "open",
    tag: "Instance",
    summary: "Read the name, version and links of this instance",
    description: "A page for a browser (`Accept: text/html`), JSON for everything else; the same for every caller.",
    answers: {
      200: {
        description: "Name, version and links, relative to the root of the instance.",
        body: { "application/json": "FirstPage", "text/html": "text" },
      },
    },
    anyQuery: true,
    problems: ["too_large"],
  },
  getHealth: {
    method: "GET",
    path: "/healthz",
    scope: "open",
    tag: "Instance",
    summary: "Check that the Worker answers",
    answers: { 200: { description: "The Worker answers.", body: "Health" } },
    problems: ["too_large"],
  },
  getReadiness: {
    method: "GET",
    path: "/readyz",
    scope: "open",
    tag: "Instance",
    summary: "Check that the stores behind the Worker answer",
    description: "Checks the key-value store, the object store and a tenant's object. Results may be cached for a second.",
    answers: { 200: { description: "All stores answer.", body: "Readiness" } },
    problems: ["too_large", "not_ready"],
  },
  getOpenApi: {
    method: "GET",
    path: "/openapi.json",
    scope: "open",
    tag: "Instance",
    summary: "Read this document",
    headers: { "if-none-match": IF_NONE_MATCH },
    answers: { 200: { description: "OpenAPI 3.1.", body: "object", headers: ["etag"] }, 304: NOT_MODIFIED },
    problems: ["too_large"],
  },
} as const satisfies Routes
