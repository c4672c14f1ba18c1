// Limits a workspace to the view of an agent [G7]: a file that `access.read` does not match is invisible, a file that `access.write` does
// not match cannot be written or removed. Every tool uses this view, so that search and list need no filter.

import { gate, type Access } from "../../../core/tool/policy/access.ts"
import type { Workspace } from "../../../ports/workspace.ts"

export function scopedWorkspace(workspace: Workspace, access: Access): Workspace {
  const mayRead = gate(access.read)
  const mayWrite = gate(access.write)
  const refusal = (path: string): string | undefined =>
    mayWrite(path) ? workspace.refusal(path) : `this agent may not write ${path}; it may write: ${access.write?.join(", ") || "nothing"}`
  const permit = (path: string): void => {
    const why = refusal(path)
    if (why !== undefined) throw new Error(why)
  }
  const readable: Workspace["survey"] = async (prefix) => (await workspace.survey(prefix)).filter((entry) => mayRead(entry.path))
  return {
    refusal,
    stat: async (path) => (mayRead(path) ? workspace.stat(path) : undefined),
    read: async (path) => (mayRead(path) ? workspace.read(path) : undefined),
    list: async (prefix) => {
      const files = await readable(prefix)
      workspace.named(files)
      return files
    },
    survey: readable,
    named: (files) => workspace.named(files),
    write: async (path, body) => {
      permit(path)
      const { created } = await workspace.write(path, body)
      return { created }
    },
    remove: async (path) => {
      permit(path)
      return mayRead(path) && workspace.remove(path)
    },
  }
}
