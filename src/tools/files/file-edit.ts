// file.edit: an alias of edit for a single place [T20].

import type { Tool } from "../../ports/tool.ts"
import { edit, editFile } from "./edit.ts"
import { mentioned, pathOf, string } from "./workspace-file.ts"

export const fileEdit: Tool = {
  ...edit,
  name: "file.edit",
  description: "Replace exact text in a file of the workspace. search must occur exactly once, white space included.",
  parameters: {
    type: "object",
    properties: {
      path: { type: "string", description: 'Path of the file, such as "src/app.ts".' },
      search: { type: "string", minLength: 1, description: "The text to replace, exactly as it is in the file." },
      replace: { type: "string", description: "The text to put in its place; empty to remove it." },
    },
    required: ["path", "search", "replace"],
    additionalProperties: false,
  },

  execute: (_callId, params, _signal, _onUpdate, powers) =>
    editFile(powers.workspace, pathOf(mentioned(params)), {
      oldText: string(params, "search"),
      newText: string(params, "replace"),
      all: false,
      names: { oldText: "search", newText: "replace", instead: "" },
    }),
}
