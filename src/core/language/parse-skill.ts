// Parses a skill's SKILL.md into data [F60]. Never throws. The limits of the Agent Skills standard are warnings, because real skills exceed them.

import { needsIn } from "../flow/check/skill-runtime.ts"
import { bounded, hasErrors, type Diagnostic } from "../diagnostic.ts"
import { fieldsOf, warnUnknown, type Fields } from "../flow/parse/fields.ts"
import { readFrontmatter } from "../flow/parse/frontmatter.ts"
import { catalogPath } from "../flow/path-id.ts"
import { isName, nameFrom } from "../text/names.ts"
import { type SourcePlace, START } from "../flow/parse/place.ts"
import { openReport, type Report, shown } from "../flow/parse/report.ts"
import type { Skill } from "../flow/skill.ts"

const KEYS = ["name", "description", "files", "license", "compatibility", "metadata", "allowed-tools"]
/** `name` is the name of the skill's folder. */
export function parseSkill(text: string, name: string): { skill?: Skill; diagnostics: readonly Diagnostic[] } {
  const { front, diagnostics } = readFrontmatter(text, "SV")
  if (front === undefined) return { diagnostics: bounded(diagnostics, "SV-MORE") }
  const report = openReport("SV")
  const fields = fieldsOf(front.head, report, "SV-FIELD", "the skill", START)
  warnUnknown(fields, report, "SV", KEYS)

  const said = fields.text("name")?.trim() ?? ""
  if (said === "") report.error("SV-NAME", fields.keyAt("name"), "the skill has no name", `name: ${name}`)
  else if (!isName(said))
    report.error(
      "SV-NAME",
      fields.valueAt("name"),
      `${shown(said)} is not a valid skill name: use letters, digits, "-" and "_"`,
      `name: ${name}`,
    )
  else if (said !== name)
    report.error(
      "SV-NAME-FOLDER",
      fields.valueAt("name"),
      `the skill's name is "${said}", but its folder is "${name}": they must match`,
      `name: ${name}`,
    )
  const description = fields.text("description")?.trim() ?? ""
  if (description === "")
    report.error(
      "SV-DESC",
      fields.keyAt("description"),
      "the skill has no description",
      "description: what it contains, and when to read it",
    )

  warnLimits(said, fields.valueAt("name"), description, fields.valueAt("description"), front.body, front.bodyPlace(0), report)
  warnFields(fields, report)
  for (const { program, line } of needsIn(front.body).slice(0, SHOWN))
    report.warn("SV-RUNTIME", front.bodyPlace(offsetOf(front.body, line)), ...runtime(program))
  const files: string[] = []
  for (const item of fields.list("files", true)) {
    const path = catalogPath(`skills/${isName(name) ? name : "x"}/${item.text}`)
    if (path.ok) files.push(item.text)
    else
      report.error(
        "SV-FILE",
        item.at,
        `${shown(item.text)} is not a file of this skill`,
        "a path inside the skill's folder, such as guide.md or notes/api.md",
      )
  }
  const all = bounded([...diagnostics, ...report.list()], "SV-MORE")
  if (hasErrors(all)) return { diagnostics: all }
  return { skill: { name: said, description, ...(fields.has("files") ? { files: [...new Set(files)] } : {}), text }, diagnostics: all }
}

const SHOWN = 10

/** The warning for a missing program, with its remedy. */
export const runtime = (program: string): readonly [message: string, suggestion: string] => [
  `this needs ${program}, which the Worker's shell does not have`,
  "bind a sandbox, or describe the same task with the agent's tools",
]

function offsetOf(text: string, line: number): number {
  let at = 0
  for (let n = 0; n < line; n++) at = text.indexOf("\n", at) + 1
  return at
}

function warnLimits(
  name: string,
  nameAt: SourcePlace,
  description: string,
  descriptionAt: SourcePlace,
  body: string,
  bodyAt: SourcePlace,
  report: Report,
): void {
  if (isName(name) && (name.length > 64 || !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)))
    report.warn(
      "SV-STANDARD",
      nameAt,
      "the Agent Skills standard requires a name of at most 64 lowercase letters, digits and single hyphens",
      nameFrom(name.toLowerCase(), "-").replaceAll("_", "-"),
    )
  if (description.length > 1024)
    report.warn(
      "SV-STANDARD",
      descriptionAt,
      `the description has ${description.length} characters; the Agent Skills standard allows 1,024`,
      "say what the skill contains and when to read it, and move the rest into the body",
    )
  if (body.split("\n").length > 500)
    report.warn(
      "SV-STANDARD",
      bodyAt,
      "the body has more than 500 lines; move topics into separate files and list them",
      "files: [topic.md]",
    )
}

/** The standard's other fields, which only other programs read. */
function warnFields(fields: Fields, report: Report): void {
  const warn = (key: string, what: string): void =>
    report.warn("SV-STANDARD", fields.valueAt(key), `the Agent Skills standard requires ${key} to be ${what}`)
  const text = (key: string): string | undefined => {
    const node = fields.node(key)
    return node?.kind === "scalar" ? node.text : undefined
  }
  if (fields.has("license") && text("license") === undefined) warn("license", "the name of a license or of a license file")
  const compatibility = text("compatibility")
  if (fields.has("compatibility") && (compatibility === undefined || compatibility === "" || compatibility.length > 500))
    warn("compatibility", "a text of 1 to 500 characters")
  const metadata = fields.node("metadata")
  if (fields.has("metadata") && !(metadata?.kind === "map" && metadata.entries.every((entry) => entry.value.kind === "scalar")))
    warn("metadata", "a mapping of names to texts")
  if (fields.has("allowed-tools") && text("allowed-tools") === undefined) warn("allowed-tools", "tool names separated by spaces")
}
