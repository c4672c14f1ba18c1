// Declares the route that compares a run's files at two moments [K5].

import { PAGES, type Parameter, type Routes } from "./route/route.ts"

const seq = (description: string): Parameter => ({
  description,
  schema: { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
})

export const filesDiff = {
  diffFiles: {
    method: "GET",
    path: "/v1/runs/:run/diff",
    scope: "runs:read",
    tag: "Runs",
    summary: "Compare a run's files with its start, or at two moments",
    description:
      "Files that were added, changed or removed, in the order of their paths, with the changed lines of texts. Lines are compared in files of up to 256 KiB, 4 MiB of files for one answer, and up to 64 Ki characters of lines are shown of each: `cut` says where something is left out. The next page compares the same two moments.",
    query: {
      ...PAGES,
      from: seq("The files after the event with this `seq`; by default 1, the start with the files that were given."),
      to: seq("The files after the event with this `seq`; by default the newest event."),
    },
    answers: { 200: { description: "A page of files.", body: "FilesDiff" } },
  },
} as const satisfies Routes
