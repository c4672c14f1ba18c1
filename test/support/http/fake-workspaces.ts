// Named workspaces in memory, for the HTTP tests.

import { MemoryBlobs, MemoryIndex } from "../../../src/engine/run/memory-store.ts"
import { conflicts, StagedWorkspace } from "../../../src/engine/run/call/staged-workspace.ts"
import type { NamedWorkspaces } from "../../../src/ports/workspace.ts"

export function memoryWorkspaces(): NamedWorkspaces {
  const indexes = new Map<string, MemoryIndex>()
  const blobs = new MemoryBlobs()
  return {
    async open(name) {
      if (!/^\w+$/.test(name)) return undefined
      const index = indexes.get(name) ?? new MemoryIndex()
      indexes.set(name, index)
      const workspace = new StagedWorkspace({ index, blobs, now: () => 1 })
      return {
        workspace,
        async commit() {
          const [clash] = conflicts(workspace.changes, index)
          if (clash) return `another call changed ${clash.path}`
          index.take(workspace.changes, 1)
          return undefined
        },
      }
    },
  }
}
