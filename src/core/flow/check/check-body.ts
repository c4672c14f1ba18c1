// Checks the templates in an agent's body: `AV-BRACE`, and forms that stay literal [F40, F43]. All are warnings,
// because a prompt may mention `${{ … }}` as text.

import type { Frontmatter } from "../parse/frontmatter.ts"
import type { Report } from "../parse/report.ts"
import { isMeant, meantIn, spelling } from "../foreign-form.ts"
import { bracesIn, doublesIn } from "../parse/stray-template.ts"
import { written } from "../../text/member-path.ts"
import { FORMS, keptForms, references, ROOTS } from "../template.ts"

export function checkBody(front: Frontmatter, inputs: readonly string[], report: Report): void {
  const { body } = front
  const seen = new Set<string>()
  for (const { ref, raw, expr, offset } of references(body)) {
    if (seen.has(raw)) continue
    seen.add(raw)
    const at = (): ReturnType<Frontmatter["bodyPlace"]> => front.bodyPlace(offset)
    const other = expr === undefined ? meantIn(raw.slice("${{".length).replace(/\}\}$/, "")) : undefined
    if (other !== undefined)
      report.warn("AV-TPL-FORM", at(), `${raw} is not a valid template; it is left as is: ${other.how}`, `\${{${written(other.names)}}}`)
    else if (ref === undefined) {
      const root = expr?.split(".")[0] ?? ""
      const why =
        expr === undefined || ROOTS.includes(root) ? "is not a valid template" : `begins with "${root}", which is not a template root`
      report.warn(
        ROOTS.includes(root) || expr === undefined ? "AV-TPL-FORM" : "AV-TPL-PREFIX",
        at(),
        `${raw} ${why}; it is left as is`,
        expr === undefined ? "write $${{ if that is what you want" : (FORMS[root] ?? spellingFor(expr, inputs) ?? report.hint(root, ROOTS)),
      )
    } else if (ref.root === "item" || ref.root === "index") {
      report.warn(
        "AV-REF-ITEM",
        at(),
        `${raw} exists only in the task and the inputs of a map; in an agent it is empty`,
        "declare an input, and set it in the step",
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
  for (const { ref, raw, offset } of keptForms(body))
    if (ref.root === "input" && inputs.includes(ref.name))
      report.warn(
        "AV-TPL-DOLLAR",
        front.bodyPlace(offset),
        `${raw} writes the form itself, because $$ before {{ is one $`,
        `$$${raw.slice(1)} for a dollar sign and the value`,
      )
  for (const { raw, offset, inside } of doublesIn(body)) {
    if (isMeant(inside, { steps: [], inputs }))
      report.warn(
        "AV-BRACE",
        front.bodyPlace(offset),
        `${raw} has no dollar sign, so it is not a template and is left as is`,
        spellingFor(inside, inputs),
      )
  }
  for (const { raw, offset } of bracesIn(body))
    report.warn("AV-BRACE", front.bodyPlace(offset), `${raw} has single braces, so it is not a template and is left as is`, `$\{${raw}}`)
}

/** The right form in an agent's body, whose own inputs are `input.NAME`. */
function spellingFor(expr: string, inputs: readonly string[]): string | undefined {
  const right = spelling(expr, { steps: [], inputs })
  const name = /^\$\{\{flow\.input\.(.+)\}\}$/.exec(right ?? "")?.[1]
  return name !== undefined && inputs.includes(name) ? `\${{input.${name}}}` : right
}
