// A machine of its own for a run's commands [T20]: a Linux sandbox with files, a network and processes that go on between calls. Present
// when the deployment has bound one. What is in it is its commands' to change: nothing that it says is believed beyond the run it belongs to.
//
// One sandbox for each run and each set of `access` globs, so that two agents that may see different files never share one [G7].

/** A file as the sandbox has it. Paths are relative to its workspace folder; whether one can be a name in a workspace is for the reader to judge. */
export interface SandboxFile {
  /** SHA-256 hex. */
  readonly hash: string
  readonly size: number
}

export interface SandboxListing {
  readonly files: ReadonlyMap<string, SandboxFile>
  /** Path → hash of the workspace as it was when it was last brought here; empty in a sandbox that is new. */
  readonly base: ReadonlyMap<string, string>
  /** Files larger than a workspace takes: some of them, by name. */
  readonly tooLarge: readonly string[]
  /** There are more files than anybody would copy: `files` is not all of them, and says nothing of what is gone. */
  readonly tooMany: boolean
}

export interface SandboxChange {
  /** Bodies are asked for when their turn comes: not all of them are in memory at once. */
  readonly write: readonly { readonly path: string; readonly size: number; readonly modified: number; body(): Promise<Uint8Array> }[]
  readonly remove: readonly string[]
}

/** Folders that other programs keep beside the files: they stay in the sandbox, and are not copied either way. */
export const KEPT_INSIDE: readonly string[] = ["node_modules", ".git", "__pycache__", ".venv"]

export type Stream = "stdout" | "stderr"
export type Signal = "SIGTERM" | "SIGKILL"

export interface ProcessState {
  readonly id: string
  readonly running: boolean
  /** Absent while it runs, and when nobody was left to see it end. 128 + n: ended by signal n. */
  readonly exitCode?: number
  /** Bytes written so far. */
  readonly stdout: number
  readonly stderr: number
  /** Milliseconds since 1970, to the second. */
  readonly started: number
}

/** For one call. Every method rejects when the sandbox cannot be reached; the message is for the model. */
export interface Exec {
  /** What this call starts has this name: the same when the call is made again, and no other call's. */
  readonly call: string
  /** Was `begin` said for this call before, in this life of the Worker or an earlier one? */
  begun(): boolean
  /** Durable when it returns: what follows is done at most once. */
  begin(): void
  /** Something from outside went into this sandbox, in this call or another: what comes out of it is marked [G11]. */
  readonly tainted: boolean
  taint(): void
  /** One after another in one sandbox: while files are carried over nobody else does. */
  inTurn<T>(work: () => Promise<T>): Promise<T>

  list(): Promise<SandboxListing>
  /** Removals first. `base`: what `list` gives from then on. */
  put(change: SandboxChange, base?: ReadonlyMap<string, string>): Promise<void>
  /** Bodies of these files, a part of them at a time; one that is gone meanwhile is left out. */
  take(
    files: readonly { readonly path: string; readonly size: number }[],
  ): AsyncIterable<{ readonly path: string; readonly body: Uint8Array }>

  /** A bash script in a session of its own, from a folder of the workspace. `limit`: milliseconds after which it and all it started is
   *  killed, whether or not we are still there; without one it goes on until it ends, is killed, or the run ends. A name starts once. */
  start(id: string, script: string, options: { readonly folder: string; readonly limit?: number }): Promise<ProcessState>
  /** undefined: there is none of that name in this sandbox. */
  look(id: string): Promise<ProcessState | undefined>
  /** Bytes from `offset` on, at most `limit` of them. */
  output(id: string, stream: Stream, offset: number, limit: number): Promise<Uint8Array>
  /** To the process and its group. What became of it within two seconds. */
  kill(id: string, signal: Signal): Promise<ProcessState | undefined>
  processes(): Promise<readonly (ProcessState & { readonly script: string })[]>
  /** The call is over: a sandbox that was opened for it alone goes. A run's stays until the run ends. */
  end(): Promise<void>
}
