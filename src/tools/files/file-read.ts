// file.read: an alias of read that also reads binary files as base64 [T20].

import { MAX_PATH_CHARS } from "../../core/text/path.ts"
import { text, type Tool } from "../../ports/tool.ts"
import { toLatin1 } from "./bash-encoding.ts"
import { read } from "./read.ts"
import { mentioned, pathOf } from "./workspace-file.ts"

export const fileRead: Tool = {
  ...read,
  name: "file.read",
  description: "Read a file of the workspace, as text or in base64.",
  parameters: {
    type: "object",
    properties: {
      path: { type: "string", maxLength: MAX_PATH_CHARS, description: 'Path of the file, such as "notes/plan.md".' },
      encoding: { type: "string", enum: ["utf8", "base64"], description: "How the content is answered. Default: utf8." },
    },
    required: ["path"],
    additionalProperties: false,
  },

  async execute(callId, params, signal, onUpdate, powers) {
    const { encoding, ...args } = mentioned(params)
    if (encoding !== "base64") return read.execute(callId, args, signal, onUpdate, powers)
    const path = pathOf(args)
    const body = await powers.workspace.read(path)
    // `read` reports a missing file: it knows similar names.
    if (body === undefined) return read.execute(callId, args, signal, onUpdate, powers)
    return text(btoa(toLatin1(body)), { path, size: body.length, encoding: "base64" })
  },
}
