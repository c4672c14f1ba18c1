// The architect's sessions, as the tenant's object answers for them.

import type { Staging } from "../../../engine/catalog/staging.ts"
import type { AgentEntry, WriteResult } from "../../../ports/catalog.ts"
import type { ArchitectPort, ArchitectWish } from "../../../ports/architect.ts"

type Answer<Method extends keyof ArchitectPort> = ReturnType<ArchitectPort[Method]>

export class ArchitectRpc {
  readonly #staging: Staging

  constructor(staging: Staging) {
    this.#staging = staging
  }

  open(wish: ArchitectWish): Answer<"open"> {
    return this.#staging.open(wish)
  }

  look(id: string): Answer<"look"> {
    return this.#staging.look(id)
  }

  list(query: Parameters<ArchitectPort["list"]>[0]): Awaited<Answer<"list">> {
    return this.#staging.list(query)
  }

  /** `by`: the name that stands beside the revision [F72]. */
  accept(id: string, seen: Parameters<ArchitectPort["accept"]>[1], by?: string): Answer<"accept"> {
    return this.#staging.accept(id, seen, by)
  }

  revise(id: string, back: Parameters<ArchitectPort["revise"]>[1]): Answer<"revise"> {
    return this.#staging.revise(id, back)
  }

  discard(id: string): Answer<"discard"> {
    return this.#staging.discard(id)
  }

  /** The catalog as the session would leave it. */
  agents(session: string): Promise<AgentEntry[]> {
    return this.#staging.agents(session)
  }

  write(session: string, run: string, kind: "agent" | "flow", path: string, content: string): Promise<WriteResult> {
    return this.#staging.write(session, run, kind, path, content)
  }
}
