// A journal in memory, for tests. Same contract as the SQL journal (test/contract/journal.ts).

import type { RunEvent } from "../../../src/core/run/event.ts"
import type { SnapshotParts } from "../../../src/core/run/snapshot.ts"
import type { RunHead, StepState } from "../../../src/core/run/state.ts"
import type { Commit, Journal, Prefix } from "../../../src/ports/journal.ts"
import type { FileEntry } from "../../../src/ports/workspace.ts"
import { take } from "../../../src/engine/run/memory-store.ts"
import { byPath, isUnder } from "../../../src/engine/run/call/staged-workspace.ts"

export class MemoryJournal implements Journal {
  readonly #events: string[] = []
  readonly #cuts: number[] = []
  readonly #files = new Map<string, FileEntry>()
  readonly #parts = new Map<string, string>()
  readonly #states = new Map<string, string>()

  commit({ events, cuts, after, files, states, snapshot, prefix }: Commit): void {
    const last = events.at(-1)
    if (!last) return
    if (prefix && this.last() === 0) this.#begin(prefix)
    if (after !== this.last() || events[0]?.seq !== after + 1)
      throw new Error(`the journal ends at ${this.last()}, these events follow ${after}`)
    for (const e of events) this.#events.push(JSON.stringify(e))
    this.#cuts.push(...(cuts ?? [last.seq]))
    for (const change of files ?? []) take(this.#files, change, last.at)
    for (const { row, body } of states ?? []) this.#states.set(row, body)
    if (!snapshot) return
    this.#parts.set("head", JSON.stringify(snapshot.head))
    for (const [id, s] of Object.entries(snapshot.steps)) this.#parts.set(`step/${id}`, JSON.stringify(s))
  }

  #begin({ rows, files, states }: Prefix): void {
    for (const { body, cuts } of rows) {
      for (const e of JSON.parse(body) as RunEvent[]) this.#events.push(JSON.stringify(e))
      for (const cut of cuts?.split(",") ?? []) if (cut !== "") this.#cuts.push(Number(cut))
    }
    for (const file of files) this.#files.set(file.path, file)
    for (const { row, body } of states) this.#states.set(row, body)
  }

  read(after: number, limit: number): RunEvent[] {
    return this.#events.slice(after, after + limit).map((e) => JSON.parse(e) as RunEvent)
  }

  pick(seqs: readonly number[]): RunEvent[] {
    return seqs.flatMap((seq) => this.read(seq - 1, 1))
  }

  state(row: string): string | undefined {
    return this.#states.get(row)
  }

  last(): number {
    return this.#events.length
  }

  cuts(): number[] {
    return [...this.#cuts]
  }

  snapshot(): SnapshotParts | undefined {
    const head = this.#parts.get("head")
    if (head === undefined) return undefined
    const steps: Record<string, StepState> = {}
    for (const [name, body] of this.#parts) if (name !== "head") steps[name.slice("step/".length)] = JSON.parse(body) as StepState
    return { head: JSON.parse(head) as RunHead, steps }
  }

  stat(path: string): FileEntry | undefined {
    return this.#files.get(path)
  }

  list(prefix: string): FileEntry[] {
    return [...this.#files.values()].filter((f) => isUnder(f.path, prefix)).sort(byPath)
  }
}
