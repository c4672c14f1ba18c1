// The run's journal: append-only, dense, one commit per decision [J7], [J15]. Synchronous: a Durable Object's SQLite is.

import type { RunEvent } from "../core/run/event.ts"
import type { SnapshotParts } from "../core/run/snapshot.ts"
import type { FileChange, FileEntry } from "./workspace.ts"

export interface Commit {
  readonly events: readonly RunEvent[]
  /** Each event's JSON, where it was made already for the chain of hashes. */
  readonly texts?: readonly string[]
  /** The seq of the last event before these; a journal that is elsewhere throws and writes nothing. */
  readonly after: number
  /** Workspace files that these events changed: in the same transaction, or not at all. */
  readonly files?: readonly FileChange[]
  readonly snapshot?: SnapshotParts
}

export interface Journal {
  /** All of it or nothing of it; durable before any message leaves the object (output gate). */
  commit(entry: Commit): void
  /** Events with seq > after, ascending, at most `limit`. */
  read(after: number, limit: number): RunEvent[]
  /** The events with exactly these seqs, in the order given: a conversation is not ascending once somebody steers while tools run. */
  pick(seqs: readonly number[]): RunEvent[]
  /** 0 when nothing was ever written. */
  last(): number
  snapshot(): SnapshotParts | undefined
  /** The workspace's index [T20]. */
  stat(path: string): FileEntry | undefined
  list(prefix: string): FileEntry[]
}
