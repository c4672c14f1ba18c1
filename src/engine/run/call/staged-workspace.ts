// Shows a run's files to a tool call: the index, overlaid with the call's own writes [J11].
//
// A body is stored as a blob at once (it is immutable, and named only by its hash). That a path now has this body is recorded
// only in `changes`, which the index applies in the same commit as `tool.returned`. A call that fails,
// hangs or is lost leaves unreferenced bodies and no trace in the run.

import { normalizePath } from "../../../core/text/path.ts"
import type { Blobs } from "../../../ports/blobs.ts"
import { marksOf, MAX_FILE_BYTES, type FileChange, type FileEntry, type Workspace } from "../../../ports/workspace.ts"

/** Maps a run's paths to bodies: SQL in its object, a map in tests. Always the current state. */
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

/** The path or the size is at fault, not the storage. */
export class FileRefused extends Error {}

export class StagedWorkspace implements Workspace {
  readonly #parts: StageParts
  readonly #written = new Map<string, Staged>()
  // The hash of each path as this call first saw it. It is the base of a change, even if another call changes the file in the meantime.
  readonly #seen = new Map<string, string | null>()
  /** How many files this call wrote under each folder. */
  readonly #above = new Map<string, number>()
  #sawTainted = false
  #sawPrivate = false

  constructor(parts: StageParts) {
    this.#parts = parts
  }

  /** One change per path, in the order of the first write. A path whose content ends up the same is not listed. */
  get changes(): readonly FileChange[] {
    return [...this.#written]
      .map(([path, { entry, base }]) => ({ path, base, hash: entry?.hash ?? null, size: entry?.size ?? 0 }))
      .filter((change) => change.hash !== change.base)
  }

  /** [G11] Whether the call read a body, or showed a name, that came or may have come from outside. Its own writes do not count. */
  get sawTainted(): boolean {
    return this.#sawTainted
  }

  /** [G11] Whether the call read or named something private, which must not go out without approval once the session is tainted. */
  get sawPrivate(): boolean {
    return this.#sawPrivate
  }

  async stat(path: string): Promise<FileEntry | undefined> {
    return this.#entry(own(path))
  }

  async read(path: string): Promise<Uint8Array | undefined> {
    const entry = this.#entry(own(path))
    if (entry === undefined) return undefined
    if (!this.#written.has(path)) this.#mark(entry)
    const body = await this.#parts.blobs.get(entry.hash)
    // A missing body of an indexed file is an internal fault, and must not look like a file that does not exist.
    if (body === undefined) throw new Error(`the body of ${path} is missing or damaged in storage`)
    return body
  }

  async list(prefix: string): Promise<readonly FileEntry[]> {
    const files = await this.survey(prefix)
    this.named(files)
    return files
  }

  named(files: readonly FileEntry[]): void {
    for (const file of files) {
      // The call chose the name itself, unless the file was there before.
      const before = this.#written.has(file.path) ? this.#parts.index.stat(file.path) : file
      if (before !== undefined) this.#mark(before)
    }
  }

  #mark(file: FileEntry): void {
    const marks = marksOf(file)
    this.#sawTainted ||= marks.tainted
    this.#sawPrivate ||= marks.private
  }

  async survey(prefix: string): Promise<readonly FileEntry[]> {
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
    if (body.length > MAX_FILE_BYTES) throw new FileRefused(`${path} would have ${body.length} bytes; a file may have ${MAX_FILE_BYTES}`)
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

  /** This workspace has no access limits. */
  refusal(_path: string): undefined {
    return undefined
  }

  /** A path is a file or a folder, never both, so that the files form a tree. */
  #refuseFolders(path: string): void {
    if (this.#holds(path)) throw new FileRefused(`${path} is a folder: choose another name`)
    for (let slash = path.indexOf("/"); slash !== -1; slash = path.indexOf("/", slash + 1)) {
      const above = path.slice(0, slash)
      if (this.#written.get(above)?.entry ?? (this.#written.has(above) ? undefined : this.#parts.index.stat(above)))
        throw new FileRefused(`${above} is a file: nothing can be put under it`)
    }
  }

  #stage(path: string, entry: FileEntry | undefined, seen: string | null): void {
    const change = Number(entry !== undefined) - Number(this.#written.get(path)?.entry !== undefined)
    for (let slash = change === 0 ? -1 : path.indexOf("/"); slash !== -1; slash = path.indexOf("/", slash + 1)) {
      const above = path.slice(0, slash)
      this.#above.set(above, (this.#above.get(above) ?? 0) + change)
    }
    // The base is read here, because a parallel write of the same call may have been first.
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
    if ((this.#above.get(folder) ?? 0) > 0) return true
    return this.#parts.index.list(folder).some(({ path }) => !this.#written.has(path))
  }
}

/** Changes whose base differs from the index, because another call has changed the file since. */
export function conflicts(changes: readonly FileChange[], index: WorkspaceIndex): FileChange[] {
  return changes.filter((change) => {
    const now = index.stat(change.path)?.hash ?? null
    // The same bytes are no conflict: a repeated call looks like this [J11].
    return now !== change.base && now !== change.hash
  })
}

export const isUnder = (path: string, folder: string): boolean => folder === "" || path === folder || path.startsWith(`${folder}/`)

/** Orders by code unit, which equals SQLite's BINARY order for ASCII, so that all lists have the same order. */
export const byPath = (a: FileEntry, b: FileEntry): number => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)

/** Callers pass normalized paths. Any other path is a mistake, and must not become a second name of a file. */
function own(path: string): string {
  const normal = normalizePath(path)
  if (!normal.ok) throw new FileRefused(normal.error)
  if (normal.value !== path) throw new FileRefused(`the path ${JSON.stringify(path)} is not normalized`)
  return path
}
