// Converts a SKILL.md of the Agent Skills standard, or similar, to a Sluice skill [F60]. Our reader warns about the standard's limits.

import { stringify } from "yaml"
import type { Json } from "../../core/json.ts"
import { hasErrors } from "../../core/diagnostic.ts"
import { checkSkill } from "../catalog/check/language.ts"
import { firstLine, nameFrom, prefixed, type Adapted } from "./adapt-agent.ts"
import { readHead } from "./loose-head.ts"

/** `folder`: the name of a skill without a `name`. `forced`: replaces a name that another skill of the import has. */
export function adaptSkill(original: string, folder: string, prefix = "", forced?: string): Adapted {
  const head = readHead(original)
  const said = head.fields.get("name")
  const given = typeof said === "string" || typeof said === "number" ? String(said).trim() : ""
  const name = prefixed(prefix, forced ?? (nameFrom(given) || nameFrom(folder) || "skill"))
  // A file that passes unchanged keeps every byte, even with other fields in its frontmatter.
  if (given === name && !hasErrors(checkSkill(original, name).diagnostics)) return { name, text: original, changes: [] }

  const changes = [...head.repairs]
  const fields = new Map<string, Json>(head.fields)
  if (!head.present) changes.push("wrote a frontmatter: the file had none")
  if (said !== name) {
    changes.push(given === "" ? `named it "${name}", after its folder` : `renamed it from ${JSON.stringify(given)} to "${name}"`)
    fields.set("name", name)
  }
  const description = fields.get("description")
  if (typeof description !== "string" || description.trim() === "") {
    fields.set("description", Array.isArray(description) ? description.map(String).join(" ") : firstLine(head.body) || name)
    changes.push("wrote a description from the file's text")
  }
  const files = fields.get("files")
  if (files !== undefined && !(Array.isArray(files) && files.every((file) => typeof file === "string")) && typeof files !== "string") {
    fields.delete("files")
    changes.push("left out files, which is not a list of paths: every file of the skill may be read")
  }
  const order = ["name", "description", ...[...fields.keys()].filter((key) => key !== "name" && key !== "description")]
  const lines = order.map((key) => stringify({ [key]: fields.get(key) ?? null }, { lineWidth: 0 })).join("")
  return { name, text: `---\n${lines}---\n\n${head.body}\n`, changes }
}
