// Replays a journal through today's kernel [K18]: the same signals at the same times, without a model, a tool or a clock.
//
// Each signal is read back from the facts that it became, and becomes facts again; a kernel that decides the same writes the same events, to
// the byte. The work is linear in the journal, and only a window of it is in memory.

import { admit } from "../../../core/run/admit.ts"
import { apply } from "../../../core/run/apply.ts"
import type { Fact, RunEvent } from "../../../core/run/event.ts"
import { EVENT_VERSION } from "../../../core/run/event-version.ts"
import type { Era } from "../../../core/run/fork/fold.ts"
import { replan } from "../../../core/run/fork/replan.ts"
import type { Signal } from "../../../core/run/signal.ts"
import { newRun, type Run } from "../../../core/run/state.ts"
import type { Pieces } from "../../../core/pieces.ts"
import { messageOf } from "../../../core/text/fault-text.ts"
import type { ReplayDifference, Replayed } from "../../../ports/run.ts"
import { decision, type Moment } from "../decision.ts"
import { JournalWindow, type JournalSource } from "./journal-window.ts"
import { readSignal } from "./read-signal.ts"

/** Breath's measure of a decision, and of each character that is made, hashed and compared (ports/breath.ts). */
const OPERATION_WORK = 5_000
const PIECE_WORK = 3

/** Stops after the first decision that differs from the journal: later signals belong to another history. `last`: the journal's last seq. */
export function* replaying(
  eras: readonly [Era, ...Era[]],
  source: JournalSource,
  last: number,
  hash: (text: string) => string,
): Pieces<Replayed> {
  const replay = new Replay(eras, hash)
  const journal = new JournalWindow(source, last)
  while (replay.run.seq < last) {
    const [seq, before] = [replay.run.seq, replay.chars]
    const made = replay.next(journal.from(replay.run.seq), journal.at)
    if (made.difference) return { events: last, identical: false, first: made.difference }
    if (replay.run.seq === seq) throw new Error("the journal ended before its last event")
    yield OPERATION_WORK + (replay.chars - before) * PIECE_WORK
  }
  return { events: last, identical: true }
}

/** The rest of a decision is not in the journal. */
class CutShort extends Error {}

const NONE: ReadonlySet<string> = new Set()

/** [R29] A decision that nothing else began may have begun calls early. */
function earlyOf(events: readonly RunEvent[], from: number): ReadonlySet<string> {
  const early = new Set<string>()
  for (let i = from; events[i]?.at === events[from]?.at; i++) {
    const e = events[i]
    if (e?.type === "action.begun" && e.kind === "model") early.add(e.key)
  }
  return early
}

interface Made {
  /** What began the decision; undefined: an effect became due. */
  readonly signal: Signal | undefined
  readonly difference?: ReplayDifference
}

export class Replay {
  run: Run
  /** Characters of the events that were made. */
  chars = 0
  readonly #eras: readonly Era[]
  readonly #hash: (text: string) => string

  constructor(eras: readonly [Era, ...Era[]], hash: (text: string) => string) {
    this.#eras = eras
    this.run = newRun(eras[0].plan)
    this.#hash = hash
  }

  /** Makes the decision that begins at `events[from]` again. */
  next(events: readonly RunEvent[], from: number): Made {
    const first = events[from]
    if (!first) return { signal: undefined }
    const seq = this.run.seq + 1
    const era = this.#eras.find((one) => one.from === first.seq)
    if (era) this.run = replan(this.run, era.plan)
    let signal: Signal | undefined
    try {
      signal = readSignal(this.run, events, from)
      const admitted = signal ? admit(this.run, signal) : ({ ok: true, value: [] } as const)
      if (!admitted.ok)
        return { signal, difference: { seq, expected: first, found: { refused: admitted.error.code, signal: signal?.type ?? null } } }
      const difference = this.#decide(admitted.value, { now: first.at, early: signal ? NONE : earlyOf(events, from) }, events, from)
      if (difference) return { signal, difference }
      return this.run.seq < seq ? { signal, difference: { seq, expected: first, found: null } } : { signal }
    } catch (e) {
      // A damaged journal may say what the kernel cannot fold.
      const at = this.run.seq + 1
      return {
        signal,
        difference: { seq: at, expected: events[from + at - seq] ?? null, found: { fault: messageOf(e) } },
      }
    }
  }

  #decide(facts: readonly Fact[], moment: Moment, events: readonly RunEvent[], from: number): ReplayDifference | undefined {
    const { run } = this
    const before = run.seq
    let difference: ReplayDifference | undefined
    const made = (list: readonly Fact[]): void => {
      for (const fact of list) {
        const seq = run.seq + 1
        // [K9] The journal was cut here, and goes on as a fork's.
        if (fact.type !== "run.forked" && events[from + seq - before - 1]?.type === "run.forked") throw new CutShort()
        const text = JSON.stringify({ seq, at: moment.now, v: EVENT_VERSION, prev: run.head, ...fact })
        const sealed: RunEvent = JSON.parse(text)
        const event = events[from + seq - before - 1]
        if (!difference && text !== (event && JSON.stringify(event))) difference = { seq, expected: event ?? null, found: JSON.parse(text) }
        run.head = this.#hash(text)
        this.chars += text.length
        apply(run, sealed)
      }
    }
    try {
      decision(run, facts, moment, made)
    } catch (e) {
      if (!(e instanceof CutShort)) throw e
    }
    return difference
  }
}
