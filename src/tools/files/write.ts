// write: creates or replaces a whole file in the run's workspace [T20]. The file is stored together with its journal entry, so a
// lost call leaves no trace and may be repeated [J11].

import { MAX_ARG_BYTES } from "../../core/schema/arg-value.ts"
import { MAX_PATH_CHARS } from "../../core/text/path.ts"
import { text, type Tool } from "../../ports/tool.ts"
import { pathOf, string } from "./workspace-file.ts"

export const write: Tool = {
  name: "write",
  label: "Write",
  description: "Write a text file in the workspace: creates it, with its folders, or replaces it. To change a part, use edit.",
  parameters: {
    type: "object",
    properties: {
      path: { type: "string", maxLength: MAX_PATH_CHARS, description: 'Path of the file in the workspace, such as "report/summary.md".' },
      content: { type: "string", maxLength: MAX_ARG_BYTES, description: "The whole content of the file." },
    },
    required: ["path", "content"],
    additionalProperties: false,
  },
  effect: "write",
  idempotent: true,
  contexts: ["main", "agent", "architect"],
  same: "write",
  groups: ["fs"],
  paths: { write: ["path"] },

  async execute(_callId, params, _signal, _onUpdate, powers) {
    const path = pathOf(params)
    const body = new TextEncoder().encode(string(params, "content"))
    const { created } = await powers.workspace.write(path, body)
    return text(`${created ? "created" : "replaced"} ${path} (${body.length} bytes)`, { path, size: body.length, created })
  },
}
