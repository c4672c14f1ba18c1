// file.write: an alias of write that also writes binary files from base64 [T20].

import { MAX_ARG_BYTES } from "../../core/schema/arg-value.ts"
import { MAX_PATH_CHARS } from "../../core/text/path.ts"
import { text, type Tool } from "../../ports/tool.ts"
import { fromLatin1 } from "./bash-encoding.ts"
import { mentioned, pathOf, string } from "./workspace-file.ts"
import { write } from "./write.ts"

export const fileWrite: Tool = {
  ...write,
  name: "file.write",
  description: "Write a file in the workspace: makes it, folders included, or replaces all of it.",
  parameters: {
    type: "object",
    properties: {
      path: { type: "string", maxLength: MAX_PATH_CHARS, description: 'Path of the file, such as "report/summary.md".' },
      content: { type: "string", maxLength: MAX_ARG_BYTES, description: "The whole content of the file." },
      encoding: { type: "string", enum: ["utf8", "base64"], description: "How content is written here. Default: utf8." },
    },
    required: ["path", "content"],
    additionalProperties: false,
  },

  async execute(callId, params, signal, onUpdate, powers) {
    const { encoding, ...args } = mentioned(params)
    if (encoding !== "base64") return write.execute(callId, args, signal, onUpdate, powers)
    const path = pathOf(args)
    const body = fromBase64(string(args, "content"))
    const { created } = await powers.workspace.write(path, body)
    return text(`${created ? "created" : "replaced"} ${path} (${body.length} bytes)`, { path, size: body.length, created })
  },
}

function fromBase64(content: string): Uint8Array {
  try {
    return fromLatin1(atob(content))
  } catch {
    throw new Error("content is not base64: leave encoding out to write it as text")
  }
}
