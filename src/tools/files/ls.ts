// ls: the content of one folder of the workspace [T20]. Folders exist only as parts of paths; files the agent may not read are not shown [G7].

import { MAX_PATH_CHARS } from "../../core/text/path.ts"
import { text, type Tool } from "../../ports/tool.ts"
import { filesUnder, folderOf, integer } from "./workspace-file.ts"

const DEFAULT_LIMIT = 500

export const ls: Tool = {
  name: "ls",
  label: "List",
  description: "List the files and folders in one folder of the workspace. Folders end in /. To look through all of them, use find.",
  parameters: {
    type: "object",
    properties: {
      path: { type: "string", maxLength: MAX_PATH_CHARS, description: "Folder in the workspace. Default: its root." },
      limit: { type: "integer", minimum: 1, maximum: 5000, description: `Maximum number of entries. Default: ${DEFAULT_LIMIT}.` },
    },
    additionalProperties: false,
  },
  effect: "read",
  contexts: ["main", "agent", "architect"],
  same: "ls",
  groups: ["fs"],
  truncate: "head",

  async execute(_callId, params, _signal, _onUpdate, powers) {
    const folder = folderOf(params)
    const limit = integer(params, "limit") ?? DEFAULT_LIMIT
    const files = await filesUnder(powers.workspace, folder)
    powers.workspace.named(files)
    const start = folder === "" ? 0 : folder.length + 1
    const entries = new Map<string, { readonly name: string; readonly size?: number }>()
    for (const file of files) {
      if (file.path === folder) return text(`${folder} is a file of ${file.size} bytes`, { path: folder, size: file.size })
      const rest = file.path.slice(start)
      const slash = rest.indexOf("/")
      const name = slash === -1 ? rest : rest.slice(0, slash + 1)
      if (!entries.has(name)) entries.set(name, slash === -1 ? { name, size: file.size } : { name })
    }
    if (entries.size === 0) return text("[the workspace is empty]", { path: folder, entries: [], total: 0 })
    const shown = [...entries.values()].slice(0, limit)
    const more = entries.size - shown.length
    const lines = shown.map((entry) => entry.name)
    if (more > 0) lines.push(`[and ${more} more entries; raise limit]`)
    return text(lines.join("\n"), { path: folder, entries: shown.slice(0, DEFAULT_LIMIT), total: entries.size })
  },
}
