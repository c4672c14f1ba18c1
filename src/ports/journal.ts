// Defines a run's journal: append-only, without gaps, one commit per decision [J7], [J15]. Synchronous, like a Durable Object's SQLite.

import type { RunEvent } from "../core/run/event.ts"
import type { SnapshotParts } from "../core/run/snapshot.ts"
import type { FileChange, FileEntry } from "./workspace.ts"

export interface Commit {
  readonly events: readonly RunEvent[]
  /** The JSON of each event, if the hash chain has already produced it. */
  readonly texts?: readonly string[]
  /** Each text has the hash of the text before it as `prev`: it need not be stored [J7]. */
  readonly isChained?: true
  /** [K8] The seqs after which a decision ends, ascending; absent: only after the last event. */
  readonly cuts?: readonly number[]
  /** The seq of the last event before these. If the journal's last seq differs, `commit` throws and writes nothing. */
  readonly after: number
  /** Workspace files that these events change, written in the same transaction. */
  readonly files?: readonly FileChange[]
  /** [J20] Sealed states of replies in these events, written in the same transaction. */
  readonly states?: readonly SealedState[]
  readonly snapshot?: SnapshotParts
  /** [K9] Of the first commit of a fork: what comes before these events. */
  readonly prefix?: Prefix
}

/** [K9] The history with which a fork begins: unchanged rows of another run's journal. */
export interface Prefix {
  readonly rows: readonly JournalRow[]
  /** The workspace after its last event. */
  readonly files: readonly FileEntry[]
  readonly states: readonly SealedState[]
  /** The events that name definitions: the first, and each fork that changed them. */
  readonly pinned: readonly number[]
}

/** The events of one commit, or a part of them. */
export interface JournalRow {
  readonly first: number
  readonly last: number
  /** The seqs after which a decision ends, joined by commas. */
  readonly cuts: string
  /** The JSON of the list of events. */
  readonly body: string
}

/** The encrypted state that a provider wants back with a reply. `row`: the key of the call. */
export interface SealedState {
  readonly row: string
  readonly body: string
}

export interface Journal {
  /** Writes all or nothing. Durable before any message leaves the object (output gate). */
  commit(entry: Commit): void
  /** Events with seq > after, ascending, at most `limit`. */
  read(after: number, limit: number): RunEvent[]
  /** The events with these seqs, in the order given. A conversation is out of order if a user steers it while tools run. */
  pick(seqs: readonly number[]): RunEvent[]
  /** The body of a sealed state. */
  state(row: string): string | undefined
  /** The last seq; 0: the journal is empty. */
  last(): number
  snapshot(): SnapshotParts | undefined
  /** [K8] The seqs after which a decision ends, ascending. */
  cuts(): number[]
  /** The workspace's index [T20]. */
  stat(path: string): FileEntry | undefined
  list(prefix: string): FileEntry[]
}
