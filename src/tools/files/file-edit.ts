// file.edit: an alias of edit for a single place [T20].

import { MAX_ARG_BYTES } from "../../core/schema/arg-value.ts"
import { MAX_PATH_CHARS } from "../../core/text/path.ts"
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
      path: { type: "string", maxLength: MAX_PATH_CHARS, description: 'Path of the file, such as "src/app.ts".' },
      search: { type: "string", minLength: 1, maxLength: MAX_ARG_BYTES, description: "The text to replace, exactly as it is in the file." },
      replace: { type: "string", maxLength: MAX_ARG_BYTES, description: "The text to put in its place; empty to remove it." },
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
