// Writes a run's answer as one text [P4]: its output's `answer`, else `reply`, else its last summary [H12].

import { isObject, type Json } from "../../json.ts"

/** `summary`: the summary of the step that ended last. */
export function answerText(output: Json | undefined, summary: string): string {
  if (!isObject(output)) return typeof output === "string" && output !== "" ? output : summary
  for (const name of ["answer", "reply", "summary"]) {
    const text = output[name]
    if (typeof text === "string" && (text !== "" || name !== "summary")) return text
  }
  return summary
}
