// Converts a command, prompt or rule of another program to a skill with one file. There, people send a command by name, and a rule is sent
// automatically; here, an agent that declares the skill reads it.

import { stringify } from "yaml"
import type { Json } from "../../core/json.ts"
import { firstLine, nameFrom, prefixed, type Adapted, type Reading } from "./adapt-agent.ts"
import { namesOf } from "./agent-fields.ts"
import { readHead } from "./loose-head.ts"

/** Where another program puts what the person wrote after the command's name. */
const ARGUMENTS = /\$ARGUMENTS\b|\$\{input:[^}]{1,100}\}|\{\{args\}\}|(?<![\w$])\$[1-9]\b/

export function adaptCommand(original: string, { stem, name: forced }: Reading, prefix = ""): Adapted {
  const head = readHead(original)
  const said = head.fields.get("name")
  const given = typeof said === "string" ? said.trim() : ""
  const name = prefixed(prefix, forced ?? (nameFrom(given) || nameFrom(stem) || "command"))
  const changes = [...head.repairs, `is the skill "${name}" here: an agent that declares it reads it`]
  const fields: Record<string, Json> = { name, description: descriptionOf(head.fields, head.body, name) }
  for (const key of ["license", "metadata"]) {
    const value = head.fields.get(key)
    if (value !== undefined) fields[key] = value
  }
  const left = [...head.fields.keys()].filter((key) => !KEPT.has(key))
  if (left.length > 0) changes.push(`left out fields that have no meaning here: ${left.join(", ")}`)
  const place = ARGUMENTS.exec(head.body)?.[0]
  if (place !== undefined) changes.push(`says that ${place} stands for the task: here a skill gets no arguments`)
  const note = place === undefined ? "" : `In this text \`${place}\` stands for what the task says.\n\n`
  return { name, text: `---\n${stringify(fields, { lineWidth: 0 })}---\n\n${note}${head.body}\n`, changes }
}

const KEPT: ReadonlySet<string> = new Set(["name", "description", "license", "metadata", "globs", "applyTo", "argument-hint"])

/** What it is about, and for a rule the files that it applies to. */
function descriptionOf(fields: ReadonlyMap<string, Json>, body: string, name: string): string {
  const said = fields.get("description")
  const about = (typeof said === "string" && said.trim() !== "" ? said.trim() : firstLine(body)) || name
  const files = [...namesOf(fields.get("globs")), ...namesOf(fields.get("applyTo"))]
  return files.length === 0 ? about : `${about}${/[.!?]$/.test(about) ? "" : "."} For the files ${files.join(", ")}.`
}
