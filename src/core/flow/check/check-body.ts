// What an agent's body says in templates: `AV-TASK`, `AV-BRACE`, and forms that will stay literal [F40, F43]. All are warnings:
// a prompt may speak of `${{ … }}` without meaning it.

import type { Frontmatter } from "../parse/frontmatter.ts"
import type { Report } from "../parse/report.ts"
import { bracesIn } from "../parse/stray-template.ts"
import { FORMS, references, ROOTS } from "../template.ts"

export function checkBody(front: Frontmatter, inputs: readonly string[], report: Report): void {
  const { body } = front
  const seen = new Set<string>()
  let task = false
  for (const { ref, raw, expr, offset } of references(body)) {
    if (ref?.root === "task") task = true
    if (seen.has(raw)) continue
    seen.add(raw)
    const at = (): ReturnType<Frontmatter["bodyPlace"]> => front.bodyPlace(offset)
    if (ref === undefined) {
      const root = expr?.split(".")[0] ?? ""
      const why =
        expr === undefined || ROOTS.includes(root) ? "is no form that templates know" : `begins with "${root}", which templates do not know`
      report.warn(
        ROOTS.includes(root) || expr === undefined ? "AV-TPL-FORM" : "AV-TPL-PREFIX",
        at(),
        `${raw} ${why}; it stays as it is written`,
        expr === undefined ? "write $${{ if that is what you want" : (FORMS[root] ?? report.hint(root, ROOTS)),
      )
    } else if (ref.root === "item" || ref.root === "index") {
      report.warn(
        "AV-REF-ITEM",
        at(),
        `${raw} is known only in the task and the inputs of a map; in an agent it is empty`,
        "declare an input, and let the step wire it",
      )
    } else if (ref.root === "input" && !inputs.includes(ref.name)) {
      report.warn(
        "AV-IN-UNDECLARED",
        at(),
        `${raw} names an input that the agent does not list under "inputs"`,
        inputs.length > 0 ? report.hint(ref.name, inputs) : `inputs: [${ref.name}]`,
      )
    }
  }
  for (const { raw, offset } of bracesIn(body))
    report.warn("AV-BRACE", front.bodyPlace(offset), `${raw} has single braces and stays as it is written`, `$\{${raw}}`)
  if (!task)
    report.warn(
      "AV-TASK",
      front.bodyPlace(0),
      "the body never says ${{task}}; the task still reaches the agent as its message",
      "add ${{task}} where the body speaks of the task",
    )
}
