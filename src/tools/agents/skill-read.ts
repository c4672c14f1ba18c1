// skill_read: reads a file of a skill in this session [F61]. Faults are returned as ordinary text, never as an error, as the seed's
// contract requires. Only listed files can be read, and no listed path leads out of the skill.

import { normalizePath } from "../../core/text/path.ts"
import { text, type Tool } from "../../ports/tool.ts"
import { string } from "../files/workspace-file.ts"

const INDEX = "SKILL.md"

export const skillRead: Tool = {
  name: "skill_read",
  label: "Read skill",
  description: "Read a file of a skill. SKILL.md, the skill's index, says which files there are.",
  parameters: {
    type: "object",
    properties: {
      skill: { type: "string", minLength: 1, maxLength: 256, description: "Name of the skill." },
      file: {
        type: "string",
        minLength: 1,
        maxLength: 512,
        description: 'A file the skill lists, such as "api-patterns.md", or SKILL.md.',
      },
    },
    required: ["skill", "file"],
    additionalProperties: false,
  },
  effect: "read",
  contexts: ["main", "agent", "architect"],
  truncate: "head",

  async execute(_callId, params, _signal, _onUpdate, powers) {
    const skill = string(params, "skill")
    const asked = string(params, "file")
    const files = powers.skills.files(skill)
    if (files === undefined) return text(`Error: there is no skill "${skill}" here. Known: ${powers.skills.names().join(", ") || "none"}`)
    const path = normalizePath(asked)
    const listed = files.filter((file) => file !== INDEX)
    if (!path.ok || path.value !== asked.replace(/^(?:\.\/)+/, "") || !(path.value === INDEX || listed.includes(path.value))) {
      return text(`Error: "${asked}" is not a file of the skill "${skill}". Readable: ${[INDEX, ...listed].join(", ")}`)
    }
    const content = await powers.skills.read(skill, path.value)
    return content === undefined
      ? text(`Error: "${path.value}" is listed by the skill "${skill}" but is not there`)
      : text(content, { skill, file: path.value })
  },
}
