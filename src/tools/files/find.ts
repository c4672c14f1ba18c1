// find: files of the workspace by a glob over their paths [T20]. Files the agent may not read are left out [G7].

import { MAX_PATH_CHARS } from "../../core/text/path.ts"
import { compileGlob, globWork } from "../../core/text/glob.ts"
import { Breath } from "../../ports/breath.ts"
import { text, type Tool, type ToolOutcome } from "../../ports/tool.ts"
import type { FileEntry, Workspace } from "../../ports/workspace.ts"
import { filesUnder, folderOf, integer, string } from "./workspace-file.ts"

const DEFAULT_LIMIT = 1_000

export const find: Tool = {
  name: "find",
  label: "Find",
  description:
    'Find files of the workspace by a glob: * within a name, ** across folders, ? one character, {a,b} either. A pattern without / looks at names in every folder: "*.md", "src/**/*.{ts,tsx}".',
  parameters: {
    type: "object",
    properties: {
      pattern: { type: "string", minLength: 1, maxLength: 512, description: 'Glob, such as "*.md" or "docs/**/*.md"; relative to path.' },
      path: { type: "string", maxLength: MAX_PATH_CHARS, description: "Folder to look in. Default: the whole workspace." },
      limit: { type: "integer", minimum: 1, maximum: 10_000, description: `At most so many files. Default: ${DEFAULT_LIMIT}.` },
    },
    required: ["pattern"],
    additionalProperties: false,
  },
  effect: "read",
  contexts: ["main", "agent", "architect"],
  groups: ["fs"],
  truncate: "head",

  execute: (_callId, params, signal, _onUpdate, powers) =>
    findFiles(powers.workspace, string(params, "pattern"), signal, { folder: folderOf(params), limit: integer(params, "limit") }),
}

export async function findFiles(
  workspace: Workspace,
  pattern: string,
  signal: AbortSignal,
  { folder = "", limit = DEFAULT_LIMIT }: { readonly folder?: string; readonly limit?: number | undefined } = {},
): Promise<ToolOutcome> {
  const matches = compileGlob(pattern, "search")
  const start = folder === "" ? 0 : folder.length + 1
  const breath = new Breath(signal)
  const found: FileEntry[] = []
  for (const file of await filesUnder(workspace, folder)) {
    await breath.take(globWork(pattern, file.path))
    if (file.path.length > start && matches(file.path.slice(start))) found.push(file)
  }
  if (found.length === 0) return text(`no file matches ${pattern}${folder === "" ? "" : ` in ${folder}`}`, { files: 0 })
  const lines = found.slice(0, limit).map((file) => file.path)
  if (found.length > limit) lines.push(`[and ${found.length - limit} more files; narrow the pattern or raise limit]`)
  workspace.named(found)
  return text(lines.join("\n"), { files: found.length })
}
