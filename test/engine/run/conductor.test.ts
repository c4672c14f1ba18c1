// The conductor over memory ports: commits, recovery, effects, alarms. test/core/run tests the behavior of flows.

import { describe, expect, test } from "vitest"
import { MAX_EFFECTS } from "../../../src/engine/run/decision.ts"
import { agent, done, flow, sha256, Stand } from "../../support/engine/stand.ts"

const line = flow("  - { id: a, type: agent, agent: a }\n  - { id: b, type: agent, agent: b, blockedBy: a }\n")
const agents = [agent("a", "tools: write, read, ls\n"), agent("b")]

describe("a run over the conductor", () => {
  test("[J15] a step with one turn takes one commit: its reply, its finish and the start of the next step", async () => {
    const stand = new Stand(line, agents)
    stand.start()
    expect(stand.types()).toEqual(["run.started", "step.opened", "action.begun"])
    await (await stand.next("a")).answer(done())
    expect(stand.types().slice(3)).toEqual(["model.replied", "step.finished", "step.opened", "action.begun"])
    await (await stand.next("b")).answer(done("end"))
    expect(stand.conductor.run.status).toBe("succeeded")
  })

  test("[J7] seq starts at 1 without gaps, and every event has the hash of the previous one", async () => {
    const stand = new Stand(line, agents)
    stand.start()
    await (await stand.next("a")).answer(done())
    await (await stand.next("b")).answer(done())
    const events = stand.events()
    expect(events.map((e) => e.seq)).toEqual(events.map((_, i) => i + 1))
    expect(events[0]?.prev).toBe("0".repeat(64))
    for (const [i, e] of events.entries()) if (i > 0) expect(e.prev).toBe(sha256(JSON.stringify(events[i - 1])))
  })

  test("[J2] action.begun is in the journal before the model is called", async () => {
    const stand = new Stand(line, agents)
    stand.start()
    const asked = await stand.next("a")
    const begun = stand.events().filter((e) => e.type === "action.begun")
    expect(begun).toHaveLength(1)
    expect(asked.request.messages).toEqual([{ role: "user", text: "go" }])
  })

  test("[J10] [J11] a model call lost in a crash is made again, and its late answer is ignored", async () => {
    const stand = new Stand(line, agents)
    stand.start()
    const before = await stand.next("a")
    stand.crash()
    const again = await stand.next("a")
    await before.answer(done("from the dead"))
    expect(stand.conductor.run.steps["a"]?.status).toBe("running")
    await again.answer(done("alive"))
    expect(stand.conductor.run.steps["a"]?.result?.summary).toBe("alive")
    expect(stand.types().filter((t) => t === "action.lost")).toHaveLength(1)
  })

  test("[J14] a crash between any two commits leads to the same outcome", async () => {
    for (let kill = 0; kill < 4; kill++) {
      const stand = new Stand(line, agents)
      stand.start()
      for (let n = 0; stand.conductor.run.status === "running"; n++) {
        if (n === kill) stand.crash()
        const open = Object.values(stand.conductor.run.underway)[0]
        if (!open) break
        const turn =
          (stand.conductor.run.steps[open.step]?.session?.turn ?? 0) === 0 && open.step === "a"
            ? { calls: [{ name: "write", args: { path: "x.txt", content: "1" } }] }
            : done(open.step)
        if (open.kind === "tool") await stand.settle()
        else await (await stand.next(open.step)).answer(turn)
      }
      expect(stand.conductor.run.status).toBe("succeeded")
      expect(stand.journal.stat("x.txt")?.size).toBe(1)
      expect(stand.faults).toEqual([])
    }
  })

  test("[T20] a tool's writes enter the index with its result, and not before", async () => {
    const stand = new Stand(line, agents)
    stand.start()
    await (await stand.next("a")).answer({ calls: [{ name: "write", args: { path: "docs/x.txt", content: "hello" } }] })
    await stand.settle()
    expect(stand.types()).toContain("tool.returned")
    expect(stand.journal.list("docs").map((f) => f.path)).toEqual(["docs/x.txt"])
  })

  test("[F34] cancel aborts the running call, and its answer changes nothing", async () => {
    const stand = new Stand(line, agents)
    stand.start()
    const asked = await stand.next("a")
    stand.conductor.tell({ type: "cancel", by: "test" })
    expect(asked.signal.aborted).toBe(true)
    await asked.answer(done())
    expect(stand.types().filter((t) => t === "run.ended")).toHaveLength(1)
    expect(stand.types().at(-1)).toBe("run.ended")
  })

  test("[F33] a retry waits for the alarm with nothing under way, and the call is made when it is due", async () => {
    const stand = new Stand(line, agents)
    stand.start()
    await (await stand.next("a")).answer({ error: { status: 503, retryable: true } })
    expect(stand.conductor.run.status).toBe("waiting")
    expect(stand.conductor.busy).toBe(false)
    expect(stand.alarm).toBe(1_750)
    stand.now = 1_749
    stand.conductor.tick()
    expect(stand.conductor.busy).toBe(false)
    stand.now = 1_750
    stand.conductor.tick()
    await (await stand.next("a")).answer(done())
    expect(stand.conductor.run.steps["a"]?.status).toBe("complete")
  })

  test("[J16] at most six effects are under way; the rest begin as slots become free", async () => {
    const steps = Array.from({ length: 9 }, (_, i) => `  - { id: s${i}, type: agent, agent: a }\n`).join("")
    const stand = new Stand(flow(steps, "max_concurrent: 9\n"), agents)
    stand.start()
    await stand.settle()
    expect(stand.asked).toHaveLength(6)
    await (await stand.next("s0")).answer(done())
    expect(Object.keys(stand.conductor.run.underway)).toHaveLength(6)
  })

  test("[J16] a run of this width has as many effects under way, and the rest begin as slots become free", async () => {
    const steps = Array.from({ length: 140 }, (_, i) => `  - { id: s${i}, type: agent, agent: a }\n`).join("")
    const stand = new Stand(flow(steps, "max_concurrent: 140\n"), agents)
    stand.start("go", true, { width: MAX_EFFECTS })
    await stand.settle()
    expect(stand.asked).toHaveLength(128)
    await (await stand.next("s0")).answer(done())
    expect(Object.keys(stand.conductor.run.underway)).toHaveLength(128)
  })

  test("[J15] after a failed commit the run is folded again from the journal, and nothing is half done", async () => {
    const stand = new Stand(line, agents)
    stand.start()
    const asked = await stand.next("a")
    const commit = stand.journal.commit.bind(stand.journal)
    stand.journal.commit = () => {
      throw new Error("disk full")
    }
    await asked.answer(done())
    stand.journal.commit = commit
    expect(stand.faults.join()).toContain("disk full")
    stand.conductor.tick()
    await (await stand.next("a")).answer(done("second try"))
    expect(stand.conductor.run.steps["a"]?.result?.summary).toBe("second try")
  })
})
