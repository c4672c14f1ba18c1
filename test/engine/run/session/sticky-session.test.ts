// Sticky sessions over the conductor: claimed before the model call, continued in a later run, saved once, busy for all others.

import { describe, expect, test } from "vitest"
import { saveTranscript } from "../../../../src/engine/run/sticky-session.ts"
import { agent, done, flow, Stand } from "../../../support/engine/stand.ts"

const file = flow("  - { id: a, type: agent, agent: a, session: notes }\n")
const agents = [agent("a", "tools: read\n")]
const claim = (by: string) => ({ agent: "a", id: "notes", by })

/** A run in the same tenant as the previous run. */
function run(before?: Stand, text = file): Stand {
  const stand = new Stand(text, agents)
  if (before) Object.assign(stand, { blobs: before.blobs, sessions: before.sessions })
  return stand
}
async function save(stand: Stand): Promise<void> {
  const { blobs, sessions, journal } = stand
  for (const t of stand.conductor.run.transcripts) await saveTranscript({ blobs, sessions }, journal, stand.conductor.run, t)
}

describe("a sticky session", () => {
  test("[J25] a later run reads the whole conversation before its own task, every call answered", async () => {
    const first = run()
    first.start("remember 42")
    await (await first.next("a")).answer({ calls: [{ name: "read", args: { path: "none.md" } }] })
    await (await first.next("a")).answer(done("noted"))
    await save(first)

    const second = run(first)
    second.start("what was it?")
    const asked = await second.next("a")
    const { messages } = asked.request
    expect(messages.map((m) => m.role)).toEqual(["user", "assistant", "tool", "assistant", "tool", "user"])
    expect(messages[0]).toEqual({ role: "user", text: "remember 42" })
    expect(JSON.stringify(messages[3])).toContain("noted")
    expect(messages[5]).toEqual({ role: "user", text: "what was it?" })
    await asked.answer(done("42"))
    await save(second)

    const third = run(second)
    third.start("and now?")
    const again = await third.next("a")
    expect(again.request.messages.filter((m) => m.role === "user").map((m) => (m.role === "user" ? m.text : ""))).toEqual([
      "remember 42",
      "what was it?",
      "and now?",
    ])
  })

  test("[K32] a staged or dry run reads a copy, even of a session that is in use, and gives nothing back", async () => {
    const first = run()
    first.start("remember 42")
    await (await first.next("a")).answer(done("noted"))
    await save(first)
    await first.sessions.claim(claim("run_other/a/1"))
    for (const effects of ["staged", "dry"] as const) {
      const second = run(first)
      second.start("what was it?", true, { effects })
      const asked = await second.next("a")
      expect(asked.request.messages[0]).toEqual({ role: "user", text: "remember 42" })
      await asked.answer(done("42"))
      expect([second.conductor.run.status, second.conductor.run.transcripts]).toEqual(["succeeded", []])
    }
    expect((await first.sessions.list()).map(({ runs, busy }) => [runs, busy])).toEqual([[1, true]])
  })

  test("[J25] a session with the same name but another agent is a different session", async () => {
    const first = run()
    first.start("mine")
    await (await first.next("a")).answer(done())
    await save(first)
    const other = new Stand(flow("  - { id: b, type: agent, agent: b, session: notes }\n"), [agent("b")])
    Object.assign(other, { blobs: first.blobs, sessions: first.sessions })
    other.start("theirs")
    expect((await other.next("b")).request.messages).toEqual([{ role: "user", text: "theirs" }])
  })

  test("[J25] saving twice stores it once; a release by a step that does not hold it has no effect", async () => {
    const first = run()
    first.start()
    await (await first.next("a")).answer(done())
    await save(first)
    await save(first)
    expect(await first.sessions.list()).toMatchObject([{ agent: "a", id: "notes", runs: 1, busy: false }])
    await first.sessions.claim(claim("run_y/a/1"))
    await save(first)
    expect(await first.sessions.list()).toMatchObject([{ runs: 1, busy: true }])
  })

  test("[J10] a crash between claim and answer, or between two turns, loses nothing and claims the session again", async () => {
    const first = run()
    first.start("before")
    await (await first.next("a")).answer(done())
    await save(first)
    const second = run(first)
    second.start("after")
    second.crash()
    const asked = await second.next("a")
    expect(asked.request.messages).toHaveLength(4)
    await asked.answer({ text: "thinking" })
    await second.next("a")
    second.crash()
    const again = await second.next("a")
    expect(again.request.messages.map((m) => m.role)).toEqual(["user", "assistant", "tool", "user", "assistant", "user"])
    await again.answer(done())
    expect(second.types().filter((t) => t === "session.opened")).toHaveLength(1)
    expect(second.conductor.run.status).toBe("succeeded")
  })

  test("[G11] [J25] a session whose id text from outside may have chosen is marked from its first claim on", async () => {
    for (const tainted of [true, false]) {
      const first = run()
      first.start("go", true, tainted ? { tainted: true } : {})
      await first.next("a")
      expect(await first.sessions.list()).toMatchObject([{ id: "notes", tainted, busy: true, runs: 0 }])
    }
  })

  test("[G11] [J25] a marked run that continues a session does not mark its name again", async () => {
    const first = run()
    first.start()
    await (await first.next("a")).answer(done())
    await save(first)
    const second = run(first)
    second.start("go", true, { tainted: true })
    await second.next("a")
    expect(await second.sessions.list()).toMatchObject([{ tainted: false, busy: true }])
  })

  test("[J25] a step that ends during the claim of its session releases the session", async () => {
    const first = run()
    first.start()
    first.conductor.tell({ type: "cancel", by: "ann" })
    await new Promise((r) => setImmediate(r))
    await save(first)
    expect(await first.sessions.list()).toMatchObject([{ busy: false, runs: 0 }])
  })

  test("[J25] a conversation that cannot be read fails the step instead of being shortened", async () => {
    const first = run()
    first.start()
    await (await first.next("a")).answer(done())
    await save(first)
    const second = run(first)
    Object.assign(second, { blobs: new Stand(file, agents).blobs })
    second.start()
    await second.settle()
    expect(second.events().find((e) => e.type === "step.finished")).toMatchObject({ summary: expect.stringMatching(/cannot be read/) })
    expect(second.asked).toEqual([])
  })
})
