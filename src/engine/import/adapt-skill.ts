// A SKILL.md of the Agent Skills standard, or nearly → one of ours [F60]. The standard's limits are warnings of our own reader.

import { stringify } from "yaml"
import type { Json } from "../../core/json.ts"
import { hasErrors } from "../../core/diagnostic.ts"
import { checkSkill } from "../catalog/language.ts"
import { firstLine, nameFrom, type Adapted } from "./adapt-agent.ts"
import { readHead } from "./loose-head.ts"

/** `folder` names a skill that does not name itself. */
export function adaptSkill(original: string, folder: string): Adapted {
  const head = readHead(original)
  const said = head.fields.get("name")
  const given = typeof said === "string" || typeof said === "number" ? String(said).trim() : ""
  const name = nameFrom(given) || nameFrom(folder) || "skill"
  // A file that passes as it is keeps every byte, whatever else is in its head.
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
    changes.push("wrote a description from what the file says")
  }
  const files = fields.get("files")
  if (files !== undefined && !(Array.isArray(files) && files.every((file) => typeof file === "string")) && typeof files !== "string") {
    fields.delete("files")
    changes.push("left out files, which is no list of paths: every file of the skill may be read")
  }
  const order = ["name", "description", ...[...fields.keys()].filter((key) => key !== "name" && key !== "description")]
  const lines = order.map((key) => stringify({ [key]: fields.get(key) ?? null }, { lineWidth: 0 })).join("")
  return { name, text: `---\n${lines}---\n\n${head.body}\n`, changes }
}
