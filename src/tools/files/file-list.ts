// file.list: an alias of ls that can also list recursively [T20].

import { MAX_PATH_CHARS } from "../../core/text/path.ts"
import { text, type Tool } from "../../ports/tool.ts"
import { ls } from "./ls.ts"
import { filesUnder, folderOf, mentioned } from "./workspace-file.ts"

const MOST = 5_000 // limit: files of an answer → the answer says that there are more

export const fileList: Tool = {
  ...ls,
  name: "file.list",
  description: "List the files and folders in one folder of the workspace, or every file below it.",
  parameters: {
    type: "object",
    properties: {
      path: { type: "string", maxLength: MAX_PATH_CHARS, description: "Folder in the workspace. Default: its root." },
      recursive: { type: "boolean", description: "Every file below, by its whole path. Default: false." },
    },
    additionalProperties: false,
  },

  async execute(callId, params, signal, onUpdate, powers) {
    const { recursive, ...args } = params["path"] === undefined ? params : mentioned(params)
    if (recursive !== true) return ls.execute(callId, args, signal, onUpdate, powers)
    const files = await filesUnder(powers.workspace, folderOf(args))
    if (files.length === 0) return text("[the workspace is empty]", { total: 0 })
    const lines = files.slice(0, MOST).map((file) => file.path)
    if (files.length > MOST) lines.push(`[and ${files.length - MOST} more files; list a folder of them]`)
    powers.workspace.named(files)
    return text(lines.join("\n"), { total: files.length })
  },
}
