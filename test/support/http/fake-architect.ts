// The architect's sessions for the HTTP tests: answers that a test sets, and a record of the calls.

import type {
  AcceptResult,
  ArchitectPort,
  OpenResult,
  ReviseResult,
  SessionRow,
  SessionView,
} from "../../../src/ports/tenant/authoring/architect.ts"

export class FakeArchitect implements ArchitectPort {
  sessions = new Map<string, SessionView>()
  rows: SessionRow[] = []
  opened: unknown[] = []
  accepted: unknown[] = []
  revised: unknown[] = []
  openResult: OpenResult = { ok: true, task: "the architect's task" }
  acceptResult: AcceptResult = { ok: true, revision: 8, paths: ["flows/f.yaml"] }
  reviseResult: ReviseResult = { ok: true, task: "the revised task", iteration: 2 }
  discardResult: "ok" | "not_found" | "accepted" = "ok"

  /** A session of one new flow, whose run is `id` itself. */
  add(id: string, more: Partial<SessionView> = {}): SessionView {
    const session: SessionView = {
      id,
      task: "make it",
      iteration: 1,
      run: id,
      state: "open",
      created: 1_700_000_000_000,
      at: 1_700_000_001_000,
      files: [{ path: "flows/f.yaml", kind: "flow", id: "f", change: "added", hash: "ab", diagnostics: [] }],
      diff: { "flows/f.yaml": "@@ -0,0 +1 @@\n+name: f\n" },
      tag: "cd",
      ...more,
    }
    this.sessions.set(id, session)
    return session
  }
  async open(wish: Parameters<ArchitectPort["open"]>[0]) {
    this.opened.push(wish)
    return this.openResult
  }
  async look(id: string) {
    return this.sessions.get(id)
  }
  async list(query: Parameters<ArchitectPort["list"]>[0]) {
    return query.cursor === "foreign" ? ({ badCursor: true } as const) : { data: this.rows.slice(0, query.limit), next_cursor: null }
  }
  async accept(id: string, seen: unknown) {
    this.accepted.push([id, seen])
    return this.acceptResult
  }
  async revise(id: string, back: unknown) {
    this.revised.push([id, back])
    return this.reviseResult
  }
  async discard() {
    return this.discardResult
  }
}
