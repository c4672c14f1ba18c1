// Declares the list of starts that wait and of runs that hold a key [R18].

import { PAGES, words, type Routes } from "../route/route.ts"

export const START_STATES = ["waiting", "running"] as const

/** Filters that are compared as they are. */
export const START_FILTERS = {
  flow: words("Only starts of this flow.", 100),
  pool: words("Only starts with a key of this pool.", 100),
  key: words("Only starts with this key.", 256),
  hook: words("Only starts by this hook.", 100),
  schedule: words("Only starts by this schedule.", 100),
  api_key: words("Only starts with the API key of this name.", 200),
} as const

export const starts = {
  listStarts: {
    method: "GET",
    path: "/v1/starts",
    scope: "runs:read",
    tag: "Runs",
    summary: "List starts that wait in line and runs that hold a key, oldest first",
    description:
      "Only starts with a `start` block that says `concurrency`, `throttle`, `debounce`, `batch` or `delay` stand in line. `waiting` is as of the moment of reading.",
    query: {
      ...PAGES,
      ...START_FILTERS,
      state: words(`Only starts in one of these states: ${START_STATES.join(", ")}, joined by commas.`),
    },
    answers: { 200: { description: "A page of starts.", body: "Start[]" } },
  },
} as const satisfies Routes
