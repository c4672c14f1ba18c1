// Finds the summary of the step that ended last [H12]: a run's answer where its output has none.

import type { RunView } from "./view.ts"

export function lastSummary({ steps }: Pick<RunView, "steps">): string {
  let [last, at] = ["", ""]
  for (const { summary = "", ended = "" } of Object.values(steps)) if (summary !== "" && ended >= at) [last, at] = [summary, ended]
  return last
}
