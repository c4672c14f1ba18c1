// Prints the report of a `sluice dev` round, for a person or a program.

import { inProjectWords } from "../../local/project-words.ts"
import { plain } from "../../local/show-run.ts"
import { reportLines } from "../shown/test-lines.ts"
import type { Context } from "../context.ts"
import { counted, rendered, untestedLine } from "../project/places.ts"
import type { RoundNews } from "./round.ts"

export function tell(context: Context, told: RoundNews, texts: ReadonlyMap<string, string>): void {
  if (context.isJson) return context.json(told)
  for (const line of linesOf(told, texts)) context.line(line)
}

function linesOf(told: RoundNews, texts: ReadonlyMap<string, string>): readonly string[] {
  switch (told.type) {
    case "checked": {
      const [only, ...more] = told.changed
      const what = only === undefined ? "the project" : more.length === 0 ? plain(only) : `${told.changed.length} files`
      const counts = counted(told.diagnostics)
      const verdict = told.valid ? `valid${counts}` : `not valid${counts}: the draft keeps the last valid state`
      return [...rendered("pretty", told.fresh, (path) => texts.get(path)), `${what}: ${verdict} (${told.ms} ms)`]
    }
    case "applied":
      if (told.draft === undefined) return [`  this server is new to the project: applied, revision ${told.revision}`]
      return (told.waiting ?? []).map((path) => `  ${plain(path)} takes effect with sluice apply: a draft has no settings`)
    case "tested":
      return reportLines(told.report).map((line) => `  ${line}`)
    case "rehearsed": {
      const why = told.error === undefined ? "" : `: ${plain(told.error)}`
      return [
        `  ${told.status === "failed" ? "FAIL" : "ok  "}  ${plain(told.flow)} rehearsed: ${told.status}${why}  (sluice show ${told.run})`,
      ]
    }
    case "failed":
      return [`  ${plain(inProjectWords(told.message))}`]
    case "done": {
      const untested = untestedLine(told.untested ?? [])
      return [...(untested === undefined ? [] : [`  ${untested}`]), `  ${told.passed ? "done" : "not done"} after ${told.ms} ms`]
    }
  }
}
