// Declares scorers [V1]: files of the catalog, and those that are built in.

import { CODE, read, removeNamed, write, YAML } from "../route/definition-routes.ts"
import { PAGE, type Routes } from "../route/route.ts"

export const scorers = {
  listScorers: {
    method: "GET",
    path: "/v1/scorers",
    scope: "catalog:read",
    tag: "Catalog",
    summary: "List scorers",
    description: "A scorer says how good a run is: by an expectation, by code, or by a judge, which is an agent with a rubric.",
    query: PAGE,
    answers: { 200: { description: "All that load, including the built-in ones.", body: "Scorer[]" } },
  },
  getScorer: read("Read a scorer", "/v1/scorers/:scorer", YAML),
  putScorer: write("Write a scorer", "/v1/scorers/:scorer", YAML),
  deleteScorer: removeNamed("Remove a scorer and its handler", "/v1/scorers/:scorer"),
  getScorerCode: read("Read a scorer's handler", "/v1/scorers/:scorer/code", CODE),
  putScorerCode: write("Write a scorer's handler", "/v1/scorers/:scorer/code", CODE),
} as const satisfies Routes
