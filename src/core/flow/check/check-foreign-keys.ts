// Checks steps for keys of other systems, such as `needs:` and `if:` [F3]. This is not part of parsing, so a run that is pinned to an older
// file still loads it.

import { entryOf } from "../parse/source.ts"
import { FOREIGN_STEP_KEYS, lineFor } from "../parse/foreign-key.ts"
import type { YamlNode } from "../parse/yaml-tree.ts"
import type { CheckScope } from "./check-scope.ts"

export function checkForeignKeys({ parsed, report, ids }: CheckScope): void {
  const { root } = parsed.source
  const steps = root?.kind === "map" ? entryOf(root, "steps")?.value : undefined
  for (const [i, step] of (steps?.kind === "list" ? steps.items : []).entries()) {
    if (step.kind !== "map") continue
    for (const { key, at, value } of step.entries) {
      const meaning = FOREIGN_STEP_KEYS.get(key)
      // A step that is unreadable for its command has a diagnostic that says so.
      const isHole = parsed.draft?.holes.has(i) === true
      if (meaning === undefined || (key === "command" && isHole)) continue
      // A word of other systems that is a key of this type.
      if (!isHole && Object.hasOwn(parsed.draft?.flow.steps[i] ?? {}, key)) continue
      const [severity, why] = meaning
      const id = ids[i] ?? ""
      const where = id === "" ? `step ${i + 1}` : `step ${JSON.stringify(id)}`
      const say = severity === "error" ? report.error : report.warn
      const ignored = severity === "error" ? "" : " and is ignored"
      say("FV-FOREIGN-KEY", at, `${where}: "${key}" is not a key of a step${ignored}: ${why}`, lineFor(meaning, shownValue(value)))
    }
  }
}

/** A short value as it can be written in a suggestion. */
function shownValue(node: YamlNode): string {
  if (node.kind === "list") {
    const items = node.items.map(shownValue)
    return items.length === 0 || items.length > 5 || items.includes("") ? "" : `[${items.join(", ")}]`
  }
  return node.kind === "scalar" && /^[\w. -]{1,60}$/.test(node.text) ? node.text : ""
}
