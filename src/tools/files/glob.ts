// glob: find with only a pattern [T20]. Files the agent may not read are left out [G7].

import type { Tool } from "../../ports/tool.ts"
import { findFiles } from "./find.ts"
import { string } from "./workspace-file.ts"

export const glob: Tool = {
  name: "glob",
  label: "Find",
  description: 'List the files of the workspace whose path matches: "*.md" in any folder, "src/**/*.{ts,tsx}" below one.',
  parameters: {
    type: "object",
    properties: { pattern: { type: "string", minLength: 1, maxLength: 512, description: "Glob over the paths of the workspace." } },
    required: ["pattern"],
    additionalProperties: false,
  },
  effect: "read",
  contexts: ["main", "agent", "architect"],
  groups: ["fs"],
  truncate: "head",

  execute: (_callId, params, signal, _onUpdate, powers) => findFiles(powers.workspace, string(params, "pattern"), signal),
}
