// A workspace as one agent may see it [G7]: what `access.read` does not match is not there, what `access.write` does not match
// cannot be written. It stands between every tool and the files, so that search and list leave out the rest by themselves.

import { gate, type Access } from "../core/access.ts"
import type { Workspace } from "../ports/workspace.ts"

export function scopedWorkspace(workspace: Workspace, access: Access): Workspace {
  const mayRead = gate(access.read)
  const mayWrite = gate(access.write)
  return {
    stat: async (path) => (mayRead(path) ? workspace.stat(path) : undefined),
    read: async (path) => (mayRead(path) ? workspace.read(path) : undefined),
    list: async (prefix) => (await workspace.list(prefix)).filter((entry) => mayRead(entry.path)),
    write: async (path, body) => {
      if (!mayWrite(path)) throw new Error(`this agent may not write ${path}; it may write: ${access.write?.join(", ") || "nothing"}`)
      const { created } = await workspace.write(path, body)
      return { created }
    },
  }
}
