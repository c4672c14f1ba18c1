// What a provider wants back through a whole run [J20]: sealed in the journal, opened for its own model alone, shown to nobody.

import { describe, expect, test } from "vitest"
import { saveTranscript } from "../../../../src/engine/run/sticky-session.ts"
import { MAX_STATE_BYTES } from "../../../../src/engine/run/provider-state.ts"
import { view } from "../../../../src/core/run/views/view.ts"
import { agent, done, flow, Stand, type Asked } from "../../../support/engine/stand.ts"

const READ = { calls: [{ name: "ls", args: {} }] }
const states = ({ request }: Asked): (string | undefined)[] => request.messages.flatMap((m) => (m.role === "assistant" ? [m.state] : []))

const stand = (): Stand => {
  const s = new Stand(flow("  - { id: a, type: agent, agent: w }\n"), [agent("w", "tools: [ls]\n")])
  s.start()
  return s
}

async function reads(s: Stand, ...given: (string | undefined)[]): Promise<void> {
  for (const state of given) {
    await (await s.next("a")).answer({ ...READ, ...(state === undefined ? {} : { state }) })
    await s.settle()
  }
}

describe("the state of a reply", () => {
  test("[J20] goes back with each later turn, also after a crash", async () => {
    const s = stand()
    await reads(s, "SECRET-0", undefined, "SECRET-2 ü€")
    expect(states(await s.next("a"))).toEqual(["SECRET-0", undefined, "SECRET-2 ü€"])
    s.crash()
    const again = await s.next("a")
    expect(states(again)).toEqual(["SECRET-0", undefined, "SECRET-2 ü€"])
    await again.answer(done())
    expect(s.conductor.run.status).toBe("succeeded")
  })

  test("[J20] is in no event, view or frame; the event says whose it is, and its size counts for the next request", async () => {
    const s = stand()
    await reads(s, "SECRET-0")
    const before = s.events().findLast((e) => e.type === "model.replied")?.requestBytes ?? 0
    await reads(s, "SECRET-".repeat(1_000))
    await (await s.next("a")).answer(done())
    const replies = s.events().filter((e) => e.type === "model.replied")
    expect(replies.map((e) => e.state)).toEqual([
      { model: "rehearsal/default", bytes: 8 },
      { model: "rehearsal/default", bytes: 7_000 },
      undefined,
    ])
    expect((replies[2]?.requestBytes ?? 0) - before).toBeGreaterThan(7_000)
    const shown = [s.events(), view(s.conductor.run), s.frames, s.published]
    expect(JSON.stringify(shown)).not.toContain("SECRET")
    expect(s.journal.state("a/1/0/model")).toMatch(/^[A-Za-z0-9_-]+$/)
    expect(atob((s.journal.state("a/1/0/model") ?? "").replaceAll("-", "+").replaceAll("_", "/"))).not.toContain("SECRET")
  })

  test("[J20] beyond its bound it is not kept, and the session goes on", async () => {
    const s = stand()
    await reads(s, "x".repeat(MAX_STATE_BYTES), "x".repeat(MAX_STATE_BYTES + 1))
    expect(states(await s.next("a")).map((state) => state?.length)).toEqual([MAX_STATE_BYTES, undefined])
  })

  test("[J20, J23] a summary by a model does not see it, and the replies that stay keep theirs", async () => {
    const s = stand()
    await reads(s, "SECRET-0", "SECRET-1", "SECRET-2")
    await (await s.next("a")).answer({ error: { status: 400, retryable: false, overflow: true } })
    const summary = await s.next("a")
    expect(summary.request.place.agent).toBe("@compact")
    expect(JSON.stringify(summary.request)).not.toContain("SECRET")
    await summary.answer({ text: "short" })
    expect(states(await s.next("a"))).toEqual(["SECRET-1", "SECRET-2"])
  })

  test("[J20] a failed reply leaves none", async () => {
    const s = stand()
    await (await s.next("a")).answer({ error: { status: 500, retryable: true }, state: "SECRET-0" })
    expect(s.events().some((e) => "state" in e)).toBe(false)
  })
})

describe("a sticky session", () => {
  const agents = [agent("w", "tools: [ls]\n")]
  const run = (before?: Stand): Stand => {
    const s = new Stand(flow("  - { id: a, type: agent, agent: w, session: notes }\n"), agents)
    if (before) Object.assign(s, { blobs: before.blobs, sessions: before.sessions })
    s.start()
    return s
  }

  test("[J20, J25] carries the state to the next run, sealed, and that run to the one after it", async () => {
    let s: Stand | undefined
    for (const expected of [[], ["SECRET-0", undefined], ["SECRET-0", undefined, "SECRET-0", undefined]]) {
      s = run(s)
      const { blobs, sessions, journal, conductor } = s
      const first = await s.next("a")
      expect(states(first)).toEqual(expected)
      await first.answer({ ...READ, state: "SECRET-0" })
      await s.settle()
      await (await s.next("a")).answer(done())
      for (const t of conductor.run.transcripts) await saveTranscript({ blobs, sessions }, journal, conductor.run, t)
      const opened = s.events().find((e) => e.type === "session.opened")
      for (const hash of opened?.chunks ?? []) {
        const body = new TextDecoder().decode(await blobs.get(hash))
        expect(body).toContain("sealed")
        expect(body).not.toContain("SECRET")
      }
    }
  })
})
