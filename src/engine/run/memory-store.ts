// Keeps blobs and a workspace index in memory, for tests and for embedding the engine without a platform.

import type { ChangedFile } from "../../core/run/steps/changed-files.ts"
import type { Blobs } from "../../ports/blobs.ts"
import type { FileChange, FileEntry } from "../../ports/workspace.ts"
import { sha256 } from "../sha256.ts"
import { byPath, isUnder, type WorkspaceIndex } from "./call/staged-workspace.ts"

export class MemoryBlobs implements Blobs {
  readonly #bodies = new Map<string, Uint8Array>()

  async put(body: Uint8Array): Promise<string> {
    // A copy, because a stored body must not change if the caller reuses its buffer.
    const own = body.slice()
    const hash = await sha256(own)
    this.#bodies.set(hash, own)
    return hash
  }

  async get(hash: string): Promise<Uint8Array | undefined> {
    return this.#bodies.get(hash)?.slice()
  }

  get size(): number {
    return this.#bodies.size
  }
}

export class MemoryIndex implements WorkspaceIndex {
  readonly #files: Map<string, FileEntry>

  constructor(files: readonly FileEntry[] = []) {
    this.#files = new Map(files.map((entry) => [entry.path, entry]))
  }

  stat(path: string): FileEntry | undefined {
    return this.#files.get(path)
  }

  list(prefix: string): readonly FileEntry[] {
    return [...this.#files.values()].filter((entry) => isUnder(entry.path, prefix)).sort(byPath)
  }

  /** Applies the changes of a call, as a commit does. */
  take(changes: readonly (ChangedFile | FileChange)[], now: number): void {
    for (const change of changes) take(this.#files, change, now)
  }
}

/** Applies one change to a map of files. */
export function take(files: Map<string, FileEntry>, { path, hash, size, ...change }: ChangedFile | FileChange, now: number): void {
  const { tainted } = change
  const marks = tainted === true ? { tainted, ...(change.private === true ? { private: true } : {}) } : {}
  if (hash === null) files.delete(path)
  else files.set(path, { path, hash, size, modified: now, ...marks })
}
