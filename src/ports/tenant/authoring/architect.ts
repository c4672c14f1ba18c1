// Defines architect sessions for HTTP routes and runs. An architect's files are staged beside the catalog, and enter it when a person
// accepts them [F75]. The tenant's object stores the sessions, as it does the catalog [F71].

import type { Diagnostic } from "../../../core/diagnostic.ts"
import type { Repair, RepairWish } from "./repairs.ts"

/** A request for a new flow, or for a change to an existing `flow`. `id` is the id of the first run. */
export type ArchitectWish = { readonly id: string; readonly task: string; readonly flow?: string; readonly repair?: RepairWish }

export interface ArchitectSessionRow {
  readonly id: string
  /** The request. With `flow`, it describes what to change in that flow. */
  readonly task: string
  readonly flow?: string
  /** Starts at 1; each `revise` adds 1. */
  readonly iteration: number
  /** The run of this iteration, and the only run whose writes are staged. */
  readonly run: string
  readonly state: "open" | "accepted" | "discarded"
  /** The catalog revision that holds the accepted files. */
  readonly revision?: number
  /** Milliseconds. */
  readonly created: number
  /** Time of the last change, in milliseconds. */
  readonly at: number
}

export interface StagedFile {
  readonly path: string
  readonly kind: string
  readonly id: string
  readonly change: "added" | "changed"
  readonly hash: string
  readonly diagnostics: readonly Diagnostic[]
  /** What it would write; absent if the session is over and the text is not kept. */
  readonly text?: string
  /** Present if the catalog's file changed after this one was based on it. `current` is its hash now; null: it is deleted. */
  readonly moved?: { readonly base: string | null; readonly current: string | null }
}

export interface SessionView extends ArchitectSessionRow {
  readonly files: readonly StagedFile[]
  /** Path → hunks of a unified diff against the catalog. Paths whose diff would make the answer too long are left out. */
  readonly diff: Readonly<Record<string, string>>
  /** The ETag of all files together; `If-Match` of an accept is compared with it. */
  readonly tag: string
  readonly repair?: Omit<Repair, "story">
}

export interface SessionRow extends ArchitectSessionRow {
  readonly files: number
  /** The status that the run last reported; it may be out of date. */
  readonly runStatus?: string
  /** The proof of a repair is not whole yet. */
  readonly isProving?: true
}

export type OpenResult =
  | { readonly ok: true; readonly task: string }
  /** `taken`: another session has this id. */
  | { readonly ok: false; readonly code: "no_flow" | "too_many" | "taken" }

export type AcceptResult =
  | { readonly ok: true; readonly revision: number; readonly paths: readonly string[] }
  | { readonly ok: false; readonly code: "not_found" | "discarded" | "other_run" | "nothing" }
  | { readonly ok: false; readonly code: "stale"; readonly tag: string }
  | {
      readonly ok: false
      readonly code: "moved"
      readonly moved: readonly { readonly path: string; readonly base: string | null; readonly current: string | null }[]
    }
  | { readonly ok: false; readonly code: "invalid"; readonly diagnostics: Readonly<Record<string, readonly Diagnostic[]>> }

export type ReviseResult =
  | { readonly ok: true; readonly task: string; readonly iteration: number }
  | { readonly ok: false; readonly code: "not_found" | "accepted" | "discarded" | "other_run" }

export interface ArchitectPort {
  /** Returns the task for the session's run. Idempotent by id. */
  open(wish: ArchitectWish): Promise<OpenResult>
  look(id: string): Promise<SessionView | undefined>
  /** Newest first. */
  list(query: {
    readonly limit: number
    readonly cursor?: string
  }): Promise<{ readonly data: readonly SessionRow[]; readonly next_cursor: string | null } | { readonly badCursor: true }>
  /** Accepts all files in one revision, or none. `run`: the finished run that the caller reviewed. A repeat returns the first revision. */
  accept(id: string, seen: { readonly run: string; readonly ifMatch?: string }): Promise<AcceptResult>
  /** Hands the session to the run `next`. `fresh`: drops the staged files first. `proof`: what became of a repair. Idempotent by `next`. */
  revise(
    id: string,
    back: { readonly run: string; readonly next: string; readonly notes: string; readonly fresh: boolean; readonly proof?: string },
  ): Promise<ReviseResult>
  /** Deletes the staged files. Idempotent; accepted files stay in the catalog. */
  discard(id: string): Promise<"ok" | "not_found" | "accepted">
}

export type SessionStatus = "working" | "ready" | "failed" | "accepted" | "discarded"

/** The status of a session. `run`: the status of its run; undefined: no such run. A session is ready only after its run has succeeded. */
export function sessionStatus(state: ArchitectSessionRow["state"], run: string | undefined, files: number): SessionStatus {
  if (state !== "open") return state
  if (run === undefined || run === "failed" || run === "canceled") return "failed"
  if (run !== "succeeded") return "working"
  return files > 0 ? "ready" : "failed"
}
