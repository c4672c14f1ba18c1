// read: a text file of the run's workspace, whole or a range of its lines [T20]; inside a run also a picture or a PDF, which the model is
// shown [F56].

import { MAX_PATH_CHARS } from "../../core/text/path.ts"
import { text, type Tool } from "../../ports/tool.ts"
import { MAX_FILE_BYTES } from "../../ports/workspace.ts"
import { integer, pathOf, readTextFile } from "./workspace-file.ts"

export const read: Tool = {
  name: "read",
  label: "Read",
  description:
    "Read a text file of the workspace. Long files: give offset and limit to read some of the lines. Pictures (PNG, JPEG, GIF, WebP) and PDFs are shown to you.",
  parameters: {
    type: "object",
    properties: {
      path: { type: "string", maxLength: MAX_PATH_CHARS, description: 'Path of the file in the workspace, such as "notes/plan.md".' },
      offset: { type: "integer", minimum: 1, maximum: MAX_FILE_BYTES, description: "First line to read, counted from 1. Default: 1." },
      limit: { type: "integer", minimum: 1, maximum: MAX_FILE_BYTES, description: "How many lines to read. Default: to the end." },
    },
    required: ["path"],
    additionalProperties: false,
  },
  effect: "read",
  contexts: ["main", "agent", "architect"],
  same: "read",
  groups: ["fs"],
  paths: { read: ["path"] },
  truncate: "head",

  async execute(_callId, params, _signal, _onUpdate, powers) {
    const path = pathOf(params)
    const file = await readTextFile(powers.workspace, path, powers.place?.run !== undefined)
    if ("media" in file) {
      const { type, ...rest } = file.media
      return { ...text(`${path} is ${type}, ${file.entry.size} bytes.`, { path, size: file.entry.size, type, ...rest }), shows: [path] }
    }
    const details = { path, size: file.entry.size, hash: file.entry.hash }
    if (file.text === "") return text(`[${path} is empty]`, details)
    const offset = integer(params, "offset") ?? 1
    const limit = integer(params, "limit")
    if (offset === 1 && limit === undefined) return text(file.text, details)

    const lines = file.text.split("\n")
    // A trailing newline ends the last line; it does not start another.
    const total = lines.length - (file.text.endsWith("\n") ? 1 : 0)
    if (offset > total) throw new Error(`${path} has ${total} lines: there is no line ${offset}`)
    const last = Math.min(total, limit === undefined ? total : offset - 1 + limit)
    const part = lines.slice(offset - 1, last).join("\n")
    const more = last < total ? `\n[lines ${offset} to ${last} of ${total}; go on with offset ${last + 1}]` : ""
    return text(part + more, { ...details, lines: total, from: offset, to: last })
  },
}
