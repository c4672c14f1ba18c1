// A run's files. Paths are normalised and relative (core/path.ts); bodies are content-addressed, the index is the run's.

export const MAX_FILE_BYTES = 10 * 1024 * 1024

export interface FileEntry {
  readonly path: string
  readonly size: number
  /** SHA-256 hex of the body. */
  readonly hash: string
  /** Milliseconds since 1970. */
  readonly modified: number
  /** Written by a session that had read text from outside; until a clean session writes it again [G11]. */
  readonly tainted?: boolean
  /** Tainted, and written by a session that had read something private too; a clean one is private without saying so. */
  readonly private?: boolean
}

export interface Workspace {
  stat(path: string): Promise<FileEntry | undefined>
  read(path: string): Promise<Uint8Array | undefined>
  /** Every file at or under `prefix` ("" = all), by path. */
  list(prefix: string): Promise<readonly FileEntry[]>
  /** Staged until the call's result is journaled: a call that fails or is lost leaves no trace. */
  write(path: string, body: Uint8Array): Promise<{ readonly created: boolean }>
  /** Staged as a write is. false: there was no such file. */
  remove(path: string): Promise<boolean>
  /** Why the one who asks may not write or remove this path [G7]; undefined: he may. For who must know before there is a body. */
  refusal(path: string): string | undefined
}

/** One file changed by one tool call: `base` is the hash it was changed from, null when it was not there. */
export interface FileChange {
  readonly path: string
  readonly base: string | null
  /** null: the file is removed, and `size` is 0. */
  readonly hash: string | null
  readonly size: number
  readonly tainted?: boolean
  readonly private?: boolean
}

/** Workspaces with names, a tenant's own: what file tools work on that are called outside a run. */
export interface NamedWorkspaces {
  /** undefined: no such name can be. A name that nobody has written to is an empty workspace. */
  open(name: string): Promise<OpenWorkspace | undefined>
}

export interface OpenWorkspace {
  readonly workspace: Workspace
  /** Makes what was written real, all of it or nothing; answers why not. */
  commit(): Promise<string | undefined>
}
