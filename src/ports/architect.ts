// Sessions of the architect, as their HTTP routes and their runs see them: what an architect writes is staged beside the catalog, and
// comes into it when a person accepts it [F75]. Kept by the tenant's one object, like the catalog itself [F71].

import type { Diagnostic } from "../core/diagnostic.ts"

/** A new flow, or a change of one that is there. `id` is that of the first run. */
export type ArchitectWish = { readonly id: string; readonly task: string; readonly flow?: string }

export interface Session {
  readonly id: string
  /** What was asked for; of a session with `flow`: what is to change in it. */
  readonly task: string
  readonly flow?: string
  /** From 1; each sending back is one more. */
  readonly iteration: number
  /** The run of this iteration: the only one whose writes are staged. */
  readonly run: string
  readonly state: "open" | "accepted" | "discarded"
  /** The revision that took what was accepted. */
  readonly revision?: number
  /** Milliseconds. */
  readonly created: number
  /** Of the last change. */
  readonly at: number
}

export interface StagedFile {
  readonly path: string
  readonly kind: string
  readonly id: string
  readonly change: "added" | "changed"
  readonly hash: string
  readonly diagnostics: readonly Diagnostic[]
  /** The catalog's own file is not the one that this was made from: the hash it has now, null when it is gone. */
  readonly moved?: { readonly base: string | null; readonly current: string | null }
}

export interface SessionView extends Session {
  readonly files: readonly StagedFile[]
  /** Path → hunks of a unified diff, from what the catalog held. A path whose diff would make the answer too long is left out. */
  readonly diff: Readonly<Record<string, string>>
  /** Of the files as a whole: what If-Match of an accept compares. */
  readonly tag: string
}

export interface SessionRow extends Session {
  readonly files: number
  /** As the run last told the tenant: it may be behind. */
  readonly runStatus?: string
}

export type OpenResult =
  | { readonly ok: true; readonly task: string }
  /** `taken`: this id is another session's. */
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
  /** Answers the task for the session's run. Idempotent by id. */
  open(wish: ArchitectWish): Promise<OpenResult>
  look(id: string): Promise<SessionView | undefined>
  /** Newest first. */
  list(query: {
    readonly limit: number
    readonly cursor?: string
  }): Promise<{ readonly data: readonly SessionRow[]; readonly next_cursor: string | null } | { readonly badCursor: true }>
  /** All of it in one revision, or nothing. `run`: whose work the caller saw to be over. Accepted before: the revision of then. */
  accept(id: string, seen: { readonly run: string; readonly ifMatch?: string }): Promise<AcceptResult>
  /** Hands the session to the run `next`. `fresh`: what was staged is dropped first. Idempotent by `next`. */
  revise(
    id: string,
    back: { readonly run: string; readonly next: string; readonly notes: string; readonly fresh: boolean },
  ): Promise<ReviseResult>
  /** What was staged is gone. A second time is harmless; what was accepted stays. */
  discard(id: string): Promise<"ok" | "not_found" | "accepted">
}

export type SessionStatus = "working" | "ready" | "failed" | "accepted" | "discarded"

/** `run`: the status of the session's run; undefined when there is none. Nobody is offered what no run has finished. */
export function sessionStatus(state: Session["state"], run: string | undefined, files: number): SessionStatus {
  if (state !== "open") return state
  if (run === undefined || run === "failed" || run === "canceled") return "failed"
  if (run !== "succeeded") return "working"
  return files > 0 ? "ready" : "failed"
}
