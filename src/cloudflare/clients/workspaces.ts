// Connects tools to a tenant's named workspaces. The index comes from the tenant's object, and the changes go back to it; bodies go to R2
// from here.

import { MemoryIndex } from "../../engine/run/memory-store.ts"
import { StagedWorkspace } from "../../engine/run/call/staged-workspace.ts"
import type { Blobs } from "../../ports/blobs.ts"
import type { WorkspacesRoom } from "../../ports/objects.ts"
import type { NamedWorkspaces } from "../../ports/workspace.ts"

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

/** A call may be repeated: the same changes do not conflict, because the same bytes are stored already. */
export function namedWorkspaces(room: WorkspacesRoom, blobs: Blobs, now: () => number): NamedWorkspaces {
  return {
    async open(name) {
      if (!NAME.test(name)) return undefined
      const index = new MemoryIndex(await room.files(name))
      const staged = new StagedWorkspace({ index, blobs, now })
      return {
        workspace: staged,
        async commit() {
          const changes = staged.changes.map((change) => (staged.sawTainted ? { ...change, tainted: true } : change))
          return changes.length === 0 ? undefined : room.change(name, changes)
        },
      }
    },
  }
}
