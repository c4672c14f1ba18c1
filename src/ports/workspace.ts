// A run's files. Paths are normalised and relative (core/path.ts); bodies are content-addressed, the index is the run's.

export interface FileEntry {
  readonly path: string
  readonly size: number
  /** SHA-256 hex of the body. */
  readonly hash: string
  /** Milliseconds since 1970. */
  readonly modified: number
}

export interface Workspace {
  stat(path: string): Promise<FileEntry | undefined>
  read(path: string): Promise<Uint8Array | undefined>
  /** Every file at or under `prefix` ("" = all), by path. */
  list(prefix: string): Promise<readonly FileEntry[]>
  /** Staged until the call's result is journaled: a call that fails or is lost leaves no trace. */
  write(path: string, body: Uint8Array): Promise<{ readonly created: boolean }>
}

/** One file changed by one tool call: `base` is the hash it was changed from, null when it was not there. */
export interface FileChange {
  readonly path: string
  readonly base: string | null
  readonly hash: string
  readonly size: number
}
