// Defines a machine for a run's commands [T20]: a Linux sandbox with files, a network and processes that keep running between calls. Present if the
// deployment binds one. Commands can change anything inside the sandbox, so its answers are trusted only within the run that it belongs to.
//
// There is one sandbox per run and set of `access` globs, so that two agents that may see different files never share one [G7].

/** A file in the sandbox. Its path is relative to the workspace folder; the reader checks whether the path is valid in a workspace. */
export interface SandboxFile {
  /** SHA-256 hex. */
  readonly hash: string
  readonly size: number
}

export interface SandboxListing {
  readonly files: ReadonlyMap<string, SandboxFile>
  /** Path → hash of the workspace when it was last copied into the sandbox; empty in a new sandbox. */
  readonly base: ReadonlyMap<string, string>
  /** Names of some of the files that are too large for a workspace. */
  readonly tooLarge: readonly string[]
  /** There are too many files to copy: `files` is incomplete, so a missing file may still exist. */
  readonly tooMany: boolean
}

export interface SandboxChange {
  /** Each `body` is called when its turn comes, so that not all bodies are in memory at once. */
  readonly write: readonly { readonly path: string; readonly size: number; readonly modified: number; body(): Promise<Uint8Array> }[]
  readonly remove: readonly string[]
}

/** Folders of other programs beside the files. They stay in the sandbox and are not copied in either direction. */
export const KEPT_INSIDE: readonly string[] = ["node_modules", ".git", "__pycache__", ".venv"]

export type Stream = "stdout" | "stderr"
export type Signal = "SIGTERM" | "SIGKILL"

export interface ProcessState {
  readonly id: string
  readonly running: boolean
  /** Absent while the process runs, or if its end was not observed. 128 + n: ended by signal n. */
  readonly exitCode?: number
  /** Bytes written so far. */
  readonly stdout: number
  readonly stderr: number
  /** Milliseconds since 1970, rounded to the second. */
  readonly started: number
}

/** The sandbox as a tool call sees it. Every method rejects if the sandbox cannot be reached; the message is for the model. */
export interface Exec {
  /** Names what this call starts. Unique to the call, and the same when the call is repeated. */
  readonly call: string
  /** Whether `begin` was called for this call before, even before a restart of the Worker. */
  begun(): boolean
  /** Durable when it returns, so that what follows happens at most once. */
  begin(): void
  /** Outside content entered this sandbox, in this call or another, so its output is marked [G11]. */
  readonly tainted: boolean
  taint(): void
  /** Runs `work` alone in this sandbox, so that only one call at a time copies files. */
  inTurn<T>(work: () => Promise<T>): Promise<T>

  list(): Promise<SandboxListing>
  /** Applies removals first. `base`: what `list` returns as `base` from then on. */
  put(change: SandboxChange, base?: ReadonlyMap<string, string>): Promise<void>
  /** The bodies of these files, in batches. Files deleted in the meantime are left out. */
  take(
    files: readonly { readonly path: string; readonly size: number }[],
  ): AsyncIterable<{ readonly path: string; readonly body: Uint8Array }>

  /** Starts a bash script in a new session, in a folder of the workspace. After `limit` milliseconds the script and all its children are
   *  killed, even if the Worker is gone. Without `limit` it runs until it ends, is killed, or the run ends. An id starts only once. */
  start(id: string, script: string, options: { readonly folder: string; readonly limit?: number }): Promise<ProcessState>
  /** undefined: this sandbox has no process with that id. */
  look(id: string): Promise<ProcessState | undefined>
  /** At most `limit` bytes, starting at `offset`. */
  output(id: string, stream: Stream, offset: number, limit: number): Promise<Uint8Array>
  /** Signals the process and its group, and returns its state within two seconds. */
  kill(id: string, signal: Signal): Promise<ProcessState | undefined>
  processes(): Promise<readonly (ProcessState & { readonly script: string })[]>
  /** Ends the call. A sandbox opened for this call alone is deleted; a run's sandbox stays until the run ends. */
  end(): Promise<void>
}
