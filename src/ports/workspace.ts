// Defines a run's files. Paths are normalized and relative (core/text/path.ts). Bodies are content-addressed; each run has its own index.

export const MAX_FILE_BYTES = 10 * 1024 * 1024 // limit: bytes of a file of a workspace → the tool fails, and nothing is written

export interface FileEntry {
  readonly path: string
  readonly size: number
  /** SHA-256 hex of the body. */
  readonly hash: string
  /** Milliseconds since 1970. */
  readonly modified: number
  /** Written by a session that had read outside text; cleared when a clean session writes the file [G11]. */
  readonly tainted?: boolean
  /** Tainted and written by a session that had also read something private. Files without taint count as private without this mark. */
  readonly private?: boolean
  /** A file of a skill that stands among the files for one command: its name and its text are the agent's own. */
  readonly skill?: true
}

/** [G11] The taint of a file's content and name, because its writer chose both. */
export const marksOf = ({ tainted, private: isPrivate, skill }: Pick<FileEntry, "tainted" | "private" | "skill">) => ({
  tainted: tainted === true,
  private: skill !== true && (tainted !== true || isPrivate === true),
})

/**
 * A run's files with their taint. File names are also text from their writer, so a result that shows a name is tainted like its file [G11].
 * Tools report the files that they name here, and this is the only source of the taint of a result or an error.
 */
export interface Workspace {
  stat(path: string): Promise<FileEntry | undefined>
  read(path: string): Promise<Uint8Array | undefined>
  /** Every file at or under `prefix` ("" = all), by path. All their names count as shown. */
  list(prefix: string): Promise<readonly FileEntry[]>
  /** The same for a caller that shows none of the names, or tells `named` which. */
  survey(prefix: string): Promise<readonly FileEntry[]>
  /** The caller shows the names of these files, in its answer or in an error. */
  named(files: readonly FileEntry[]): void
  /** Staged until the call's result is journaled, so a failed or lost call leaves no trace. */
  write(path: string, body: Uint8Array): Promise<{ readonly created: boolean }>
  /** Staged like a write. false: there is no such file. */
  remove(path: string): Promise<boolean>
  /** Why the caller may not write or remove this path [G7]; undefined: it may. For callers that must know before they have a body. */
  refusal(path: string): string | undefined
}

/** One file changed by one tool call. `base` is the hash before the change; null: the file is new. */
export interface FileChange {
  readonly path: string
  readonly base: string | null
  /** null: the file is deleted, and `size` is 0. */
  readonly hash: string | null
  readonly size: number
  readonly tainted?: boolean
  readonly private?: boolean
}

/** A tenant's named workspaces, for file tools called outside a run. */
export interface NamedWorkspaces {
  /** undefined: the name is not valid. A name never written to is an empty workspace. */
  open(name: string): Promise<OpenWorkspace | undefined>
}

export interface OpenWorkspace {
  readonly workspace: Workspace
  /** Commits all staged changes or none. Returns the reason if nothing changed. */
  commit(): Promise<string | undefined>
}
