// What every journal promises (ports/journal.ts), tested on each: memory in Node, SQL in a run's object. `use` gives a fresh journal,
// and `reopen` the same journal as a new process sees it.

import { describe, expect, test } from "vitest"
import type { RunEvent } from "../../src/core/run/event.ts"
import { compile } from "../../src/core/run/plan.ts"
import { newRun, newStep } from "../../src/core/run/state.ts"
import { takeSnapshot } from "../../src/core/run/snapshot.ts"
import type { Journal } from "../../src/ports/journal.ts"
import type { FileChange } from "../../src/ports/workspace.ts"

export type UseJournal = (body: (journal: Journal, reopen: () => Journal) => void) => Promise<void> | void

const event = (seq: number, message = `m${seq}`): RunEvent => ({
  seq,
  at: seq * 10,
  v: 1,
  prev: "0".repeat(64),
  type: "warning",
  code: "x",
  message,
})
const events = (from: number, to: number): RunEvent[] => Array.from({ length: to - from + 1 }, (_, i) => event(from + i))

export function journalContract(name: string, use: UseJournal): void {
  const given = (rule: string, body: (journal: Journal, reopen: () => Journal) => void): void => {
    test(rule, async () => {
      await use(body)
    })
  }

  describe(`journal: ${name}`, () => {
    given("[J7] a fresh journal is empty and says so everywhere", (j) => {
      expect([j.last(), j.read(0, 10), j.pick([1]), j.snapshot(), j.stat("x"), j.list("")]).toEqual([0, [], [], undefined, undefined, []])
    })

    given("[J7] events come back in order, whole, from any cursor and in any page size", (j, reopen) => {
      j.commit({ events: events(1, 3), after: 0 })
      j.commit({ events: events(4, 4), after: 3 })
      j.commit({ events: events(5, 9), after: 4 })
      for (const journal of [j, reopen()]) {
        expect(journal.last()).toBe(9)
        for (let after = 0; after <= 9; after++)
          for (const limit of [1, 2, 5, 100]) expect(journal.read(after, limit)).toEqual(events(after + 1, Math.min(9, after + limit)))
      }
    })

    given("[J7] an append that does not follow the last event throws and writes nothing", (j) => {
      j.commit({ events: events(1, 2), after: 0 })
      expect(() => j.commit({ events: events(2, 3), after: 1 })).toThrow(/ends at 2/)
      expect(() => j.commit({ events: events(4, 4), after: 3 })).toThrow(/ends at 2/)
      expect(() => j.commit({ events: events(4, 4), after: 2 })).toThrow()
      expect(j.read(0, 10)).toEqual(events(1, 2))
    })

    given("[J21] single events are found again, wherever their commit put them", (j) => {
      j.commit({ events: events(1, 4), after: 0 })
      j.commit({ events: events(5, 5), after: 4 })
      j.commit({ events: events(6, 20), after: 5 })
      expect(j.pick([1, 4, 5, 6, 13, 20]).map((e) => e.seq)).toEqual([1, 4, 5, 6, 13, 20])
      expect(j.pick([20, 2]).map((e) => e.seq)).toEqual([20, 2])
    })

    given("[J20] a sealed state is kept with its events, or not at all, whatever its size", (j, reopen) => {
      expect(j.state("a/1/0/model")).toBeUndefined()
      const large = "ü€𝄞".repeat(500_000)
      j.commit({ events: events(1, 1), after: 0, states: [{ row: "a/1/0/model", body: "sealed" }] })
      j.commit({ events: events(2, 2), after: 1, states: [{ row: "a/1/1/model", body: large }] })
      expect(() => j.commit({ events: events(2, 2), after: 1, states: [{ row: "a/1/2/model", body: "late" }] })).toThrow(/ends at 2/)
      for (const journal of [j, reopen()])
        expect(["a/1/0/model", "a/1/1/model", "a/1/2/model"].map((row) => journal.state(row))).toEqual(["sealed", large, undefined])
    })

    given("[J20] a commit of several megabytes is kept, and read back byte for byte", (j, reopen) => {
      const big = Array.from({ length: 8 }, (_, i) => event(i + 1, "ü€𝄞".repeat(50_000)))
      j.commit({ events: big, after: 0 })
      expect(reopen().read(0, 100)).toEqual(big)
    })

    given("[T20] files change with the events that changed them, or not at all", (j, reopen) => {
      j.commit({ events: events(1, 1), after: 0, files: [{ path: "a/x.txt", base: null, hash: "h1", size: 1 }] })
      expect(() => j.commit({ events: events(1, 1), after: 0, files: [{ path: "a/x.txt", base: "h1", hash: "h2", size: 2 }] })).toThrow()
      expect(j.stat("a/x.txt")).toEqual({ path: "a/x.txt", hash: "h1", size: 1, modified: 10 })
      j.commit({
        events: events(2, 2),
        after: 1,
        files: ["a/x.txt", "a.txt", "ab/y", "a/b/z", "a0"].map((path) => ({ path, base: null, hash: "h", size: 3 })),
      })
      expect(
        reopen()
          .list("a")
          .map((f) => f.path),
      ).toEqual(["a/b/z", "a/x.txt"])
      expect(j.list("").map((f) => f.path)).toEqual(["a.txt", "a/b/z", "a/x.txt", "a0", "ab/y"])
      expect(j.list("a.txt").map((f) => f.path)).toEqual(["a.txt"])
    })

    given("[T20] a file that is removed is gone after its commit, and can come back", (j, reopen) => {
      j.commit({ events: events(1, 1), after: 0, files: ["a", "b/c"].map((path) => ({ path, base: null, hash: "h1", size: 1 })) })
      j.commit({ events: events(2, 2), after: 1, files: [{ path: "b/c", base: "h1", hash: null, size: 0 }] })
      expect([
        reopen().stat("b/c"),
        reopen()
          .list("")
          .map((f) => f.path),
      ]).toEqual([undefined, ["a"]])
      j.commit({ events: events(3, 3), after: 2, files: [{ path: "b/c", base: null, hash: "h2", size: 2 }] })
      expect(reopen().stat("b/c")).toEqual({ path: "b/c", hash: "h2", size: 2, modified: 30 })
    })

    given("[G11] the mark of what came from outside stays with a file until it is written without one", (j, reopen) => {
      const write = (path: string, tainted?: boolean): FileChange => ({
        path,
        base: null,
        hash: "h",
        size: 1,
        ...(tainted ? { tainted } : {}),
      })
      j.commit({ events: events(1, 1), after: 0, files: [write("clean"), write("dirty", true)] })
      expect(reopen().stat("dirty")?.tainted).toBe(true)
      expect(reopen().stat("clean")).toEqual({ path: "clean", hash: "h", size: 1, modified: 10 })
      expect(j.list("").map((f) => f.tainted === true)).toEqual([false, true])
      j.commit({ events: events(2, 2), after: 1, files: [write("clean", true), write("dirty")] })
      expect(
        reopen()
          .list("")
          .map((f) => f.tainted === true),
      ).toEqual([true, false])
      j.commit({ events: events(3, 3), after: 2, files: [{ ...write("both", true), private: true }] })
      expect(reopen().stat("both")).toMatchObject({ tainted: true, private: true })
      expect(reopen().stat("clean")?.private).toBeUndefined()
    })

    given("[J8] a snapshot is kept in parts, and a later one rewrites only the parts it brings", (j, reopen) => {
      const flow = {
        id: "f",
        name: "f",
        description: "",
        steps: [],
        inputs: {},
        max_concurrent: 4,
        task_required: false,
        autonomous: true,
        config: {},
      }
      const run = newRun(compile({ flow, agents: {}, skills: {}, tools: [] }))
      run.steps = { a: newStep(), b: newStep() }
      run.touched.add("a").add("b")
      run.seq = 1
      j.commit({ events: events(1, 1), after: 0, snapshot: takeSnapshot(run) })
      run.touched.clear()
      run.touched.add("b")
      run.steps["b"] = { ...newStep(), pass: 7 }
      run.steps["a"] = { ...newStep(), pass: 99 }
      run.seq = 2
      j.commit({ events: events(2, 2), after: 1, snapshot: takeSnapshot(run) })
      const kept = reopen().snapshot()
      expect([kept?.head.seq, kept?.steps["a"]?.pass, kept?.steps["b"]?.pass]).toEqual([2, 1, 7])
    })
  })
}
