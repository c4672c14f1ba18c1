// A run's files as one tool call sees them: what the index says, and over it what this call has written [J11].
//
// A body goes into the blobs at once (it is immutable and has no name there but its hash); that a path now means this body is
// only remembered in `changes`. The index takes the changes over in the same commit as `tool.returned`. A call that fails,
// hangs or is lost leaves bodies that nobody names, and no trace in the run.

import { normalisePath } from "../../core/text/path.ts"
import type { Blobs } from "../../ports/blobs.ts"
import { MAX_FILE_BYTES, type FileChange, type FileEntry, type Workspace } from "../../ports/workspace.ts"

/** Where a run keeps which path has which body: SQL in its object, a map in tests. Always the present state. */
export interface WorkspaceIndex {
  stat(path: string): FileEntry | undefined
  /** Every file at or under `prefix` ("" = all), by path. */
  list(prefix: string): readonly FileEntry[]
}

export interface StageParts {
  readonly index: WorkspaceIndex
  readonly blobs: Blobs
  /** Milliseconds since 1970. */
  now(): number
}

interface Staged {
  /** undefined: removed. */
  readonly entry: FileEntry | undefined
  readonly base: string | null
}

export class StagedWorkspace implements Workspace {
  readonly #parts: StageParts
  readonly #written = new Map<string, Staged>()
  // What this call has seen of a path: a change is made from that, not from what somebody else put there meanwhile.
  readonly #seen = new Map<string, string | null>()
  #sawTainted = false
  #sawPrivate = false

  constructor(parts: StageParts) {
    this.#parts = parts
  }

  /** One change per path, in the order of the first write. A path that was written back to what it was is not changed. */
  get changes(): readonly FileChange[] {
    return [...this.#written]
      .map(([path, { entry, base }]) => ({ path, base, hash: entry?.hash ?? null, size: entry?.size ?? 0 }))
      .filter((change) => change.hash !== change.base)
  }

  /** [G11] Was a body read that came, or may have come, from outside? What this call wrote itself does not count. */
  get sawTainted(): boolean {
    return this.#sawTainted
  }

  /** [G11] Was a body read that is the run's own, or has such in it: what must not go out unasked once the session is tainted? */
  get sawPrivate(): boolean {
    return this.#sawPrivate
  }

  async stat(path: string): Promise<FileEntry | undefined> {
    return this.#entry(own(path))
  }

  async read(path: string): Promise<Uint8Array | undefined> {
    const entry = this.#entry(own(path))
    if (entry === undefined) return undefined
    if (!this.#written.has(path)) {
      if (entry.tainted === true) this.#sawTainted = true
      if (entry.tainted !== true || entry.private === true) this.#sawPrivate = true
    }
    const body = await this.#parts.blobs.get(entry.hash)
    // An index that names a body which is gone is a fault of ours, and must not look like a file that was never there.
    if (body === undefined) throw new Error(`the body of ${path} is missing or damaged in storage`)
    return body
  }

  async list(prefix: string): Promise<readonly FileEntry[]> {
    const folder = prefix === "" ? "" : own(prefix)
    const files = new Map(this.#parts.index.list(folder).map((entry) => [entry.path, entry]))
    for (const { path, hash } of files.values()) if (!this.#seen.has(path)) this.#seen.set(path, hash)
    for (const [path, { entry }] of this.#written) {
      if (entry === undefined) files.delete(path)
      else if (isUnder(path, folder)) files.set(path, entry)
    }
    return [...files.values()].sort(byPath)
  }

  async write(path: string, body: Uint8Array): Promise<{ readonly created: boolean }> {
    own(path)
    if (body.length > MAX_FILE_BYTES) throw new Error(`${path} would have ${body.length} bytes; a file may have ${MAX_FILE_BYTES}`)
    const before = this.#entry(path)
    if (before === undefined) this.#refuseFolders(path)
    const seen = this.#seen.get(path) ?? null
    const hash = await this.#parts.blobs.put(body)
    this.#stage(path, { path, size: body.length, hash, modified: this.#parts.now() }, seen)
    return { created: before === undefined }
  }

  async remove(path: string): Promise<boolean> {
    const before = this.#entry(own(path))
    if (before === undefined) return false
    this.#stage(path, undefined, this.#seen.get(path) ?? null)
    return true
  }

  /** Whoever holds the whole workspace may write all of it. */
  refusal(_path: string): undefined {
    return undefined
  }

  /** A path is a file or a folder, never both: whoever lists the files must be able to lay them out as a tree. */
  #refuseFolders(path: string): void {
    if (this.#holds(path)) throw new Error(`${path} is a folder: choose another name`)
    for (let slash = path.indexOf("/"); slash !== -1; slash = path.indexOf("/", slash + 1)) {
      const above = path.slice(0, slash)
      if (this.#written.get(above)?.entry ?? (this.#written.has(above) ? undefined : this.#parts.index.stat(above)))
        throw new Error(`${above} is a file: nothing can be put under it`)
    }
  }

  #stage(path: string, entry: FileEntry | undefined, seen: string | null): void {
    // Read here: a parallel write of the same call may have been first.
    this.#written.set(path, { entry, base: this.#written.get(path)?.base ?? seen })
  }

  #entry(path: string): FileEntry | undefined {
    const written = this.#written.get(path)
    if (written !== undefined) return written.entry
    const entry = this.#parts.index.stat(path)
    if (!this.#seen.has(path)) this.#seen.set(path, entry?.hash ?? null)
    return entry
  }

  #holds(folder: string): boolean {
    if ([...this.#written].some(([path, { entry }]) => entry !== undefined && isUnder(path, folder))) return true
    return this.#parts.index.list(folder).some(({ path }) => !this.#written.has(path))
  }
}

/** Changes whose base is no longer what the index has: somebody else changed the file since this call looked. */
export function conflicts(changes: readonly FileChange[], index: WorkspaceIndex): FileChange[] {
  return changes.filter((change) => {
    const now = index.stat(change.path)?.hash ?? null
    // That the same bytes are there already is no conflict: this is how a call looks that is made a second time [J11].
    return now !== change.base && now !== change.hash
  })
}

export const isUnder = (path: string, folder: string): boolean => folder === "" || path === folder || path.startsWith(`${folder}/`)

/** By code unit, as SQLite's BINARY order has it for what is ASCII; the same list in every place. */
export const byPath = (a: FileEntry, b: FileEntry): number => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)

/** Paths come in normalised; one that is not is a mistake of the caller, and must not become a second name of a file. */
function own(path: string): string {
  const normal = normalisePath(path)
  if (!normal.ok) throw new Error(normal.error)
  if (normal.value !== path) throw new Error(`the path ${JSON.stringify(path)} is not normalised`)
  return path
}
