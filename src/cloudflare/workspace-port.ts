// namedWorkspaces: a tenant's named workspaces as its tools see them. The index comes from the tenant's object and the changes go back to
// it; the bodies go to R2 from here.

import { MemoryIndex } from "../engine/memory-store.ts"
import { StagedWorkspace } from "../engine/staged-workspace.ts"
import type { Blobs } from "../ports/blobs.ts"
import type { FileChange, FileEntry, NamedWorkspaces } from "../ports/workspace.ts"

/** The methods of TenantObject that are behind it. */
export interface WorkspaceRpc {
  workspaceFiles(workspace: string): Promise<readonly FileEntry[]>
  changeWorkspace(workspace: string, changes: readonly FileChange[]): Promise<string | undefined>
}

type Ask = <T>(call: (object: WorkspaceRpc) => Promise<T>) => Promise<T>

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

/** `ask` may ask twice: the same changes made again are no clash, for the same bytes are there already. */
export function namedWorkspaces(ask: Ask, blobs: Blobs, now: () => number): NamedWorkspaces {
  return {
    async open(name) {
      if (!NAME.test(name)) return undefined
      const index = new MemoryIndex(await ask((object) => object.workspaceFiles(name)))
      const staged = new StagedWorkspace({ index, blobs, now })
      return {
        workspace: staged,
        async commit() {
          const changes = staged.changes.map((change) => (staged.sawTainted ? { ...change, tainted: true } : change))
          return changes.length === 0 ? undefined : ask((object) => object.changeWorkspace(name, changes))
        },
      }
    },
  }
}
