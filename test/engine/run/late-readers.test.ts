// Readers that return to their place in a long run [J8]: they get the same as if they had stayed, and the amount read for
// them does not grow with the run.

import { describe, expect, test } from "vitest"
import type { RunEvent } from "../../../src/core/run/event.ts"
import { PiFlows } from "../../../src/core/run/views/pi-flows.ts"
import { StepMessages } from "../../../src/core/run/session/step-messages.ts"
import { Projections } from "../../../src/engine/run/projections.ts"
import { readMessages } from "../../../src/engine/run/read-messages.ts"
import { agent, agentOf, flowOf, loop, planOf } from "../../support/kernel/builders.ts"
import { call, choose, finish, Shell } from "../../support/kernel/shell.ts"

const PLAN = planOf(flowOf([agent("a"), loop("l", "a", "z", 3), agent("z")]), [agentOf("worker", { max_turns: 400 })])

function life(turns: number): Shell {
  const shell = new Shell(PLAN)
  for (let pass = 0; pass < 2; pass++) {
    for (let i = 0; i < turns; i++) {
      if (i % 7 === 3) shell.steer("a", `left ${i}`)
      shell.reply("a", `turn ${i}`, call("look", { n: i }, `c${i}`))
      if (shell.keys().some((key) => key.endsWith(`/tool/c${i}`))) {
        if (i % 5 === 0) shell.steer("a", `right ${i}`)
        if (shell.keys().some((key) => key.endsWith(`/tool/c${i}`))) shell.returns("a", `c${i}`)
      }
    }
    if (pass === 0) {
      shell.reply("a", finish())
      shell.reply("l", choose("loop"))
    }
  }
  return shell
}

function source(log: readonly RunEvent[]) {
  const counted = { read: 0 }
  return {
    counted,
    read(after: number, limit: number, chars = Infinity): RunEvent[] {
      const out: RunEvent[] = []
      let size = 0
      for (const e of log.slice(after, after + limit)) {
        out.push(e)
        if ((size += JSON.stringify(e).length) >= chars) break
      }
      counted.read += out.length
      return out
    },
  }
}

describe("messages of a step", () => {
  const shell = life(60)
  const opened = shell.state("a").openedSeq ?? 0
  const whole = new StepMessages("a")
  for (const e of shell.log) whole.take(e)

  test("[J21] from each place a reader gets the same messages as from the start, including steers and prompts", () => {
    expect(opened).toBe(
      shell
        .events("step.opened")
        .filter((e) => e.step === "a")
        .at(-1)?.seq,
    )
    for (let after = 0; after <= shell.log.length; after++) {
      const page = readMessages(source(shell.log), { step: "a", opened, after, chars: Infinity })
      expect(page, `after ${after}`).toEqual({ data: whole.after(after), next: null })
    }
  })

  test("[J21] the pages together are the whole conversation, and no page splits an event", () => {
    const seen = []
    for (let after = 0; ;) {
      const page = readMessages(source(shell.log), { step: "a", opened, after, chars: 600 })
      seen.push(...page.data)
      if (page.next === null) break
      expect(page.next).toBeGreaterThan(after)
      after = page.next
    }
    expect(seen).toEqual(whole.after(0))
  })

  test("[J21] [H5] with a limit every page but the last is full, in any size, and the pages are the whole conversation", () => {
    const all = whole.after(0)
    for (const limit of [1, 2, 3, 7, all.length - 1, all.length, all.length + 1]) {
      const seen = []
      for (let place: { after: number; skip?: number } = { after: 0 }; ;) {
        const { data, next, skip } = readMessages(source(shell.log), { step: "a", opened, ...place, chars: Infinity, limit })
        seen.push(...data)
        if (next === null) break
        expect([limit, data.length]).toEqual([limit, limit])
        place = { after: next, ...(skip === undefined ? {} : { skip }) }
      }
      expect(seen).toEqual(all)
    }
  })

  test("[J8] the last messages cost the same in a run ten times as long", () => {
    const cost = (long: Shell): number => {
      const journal = source(long.log)
      readMessages(journal, { step: "a", opened: long.state("a").openedSeq ?? 0, after: long.log.length - 5, chars: 4_000 })
      return journal.counted.read
    }
    const [short, long] = [life(30), life(300)]
    expect(long.log.length).toBeGreaterThan(8 * short.log.length)
    expect(cost(long)).toBeLessThanOrEqual(cost(short) + 8)
  })
})

describe("projections", () => {
  const { log } = life(300)
  const framesAfter = (after: number) => {
    const projection = new PiFlows(PLAN)
    return log.flatMap((e) => projection.frames(e).map((f) => ({ seq: e.seq, ...f }))).filter((f) => f.seq > after)
  }
  const page = (places: Projections, journal: ReturnType<typeof source>, after: number, limit: number) => {
    const projection = places.at("pi-flows", after, () => new PiFlows(PLAN))
    const events = journal.read(after, limit)
    const data = events.flatMap((e) => projection.frames(e).map((f) => ({ seq: e.seq, ...f })))
    places.keep("pi-flows", events.at(-1)?.seq ?? after, projection)
    return { data, last: events.at(-1)?.seq ?? after }
  }

  test("[E3] a reader beyond the journal's end does not change what later readers of that place get", () => {
    const journal = source(log.slice(0, 10))
    const places = new Projections(journal)
    places.at("pi-flows", 1_000, () => new PiFlows(PLAN))
    const grown = source(log)
    Object.assign(journal, { read: grown.read.bind(grown) })
    expect(page(places, grown, 1_000, Infinity).data).toEqual(framesAfter(1_000))
  })

  test("[E3] [J8] read page by page, each event is read once", () => {
    const journal = source(log)
    const places = new Projections(journal)
    const seen = []
    for (let after = 0; after < log.length;) {
      const { data, last } = page(places, journal, after, 50)
      seen.push(...data)
      after = last
    }
    expect(seen).toEqual(framesAfter(0))
    expect(journal.counted.read).toBe(log.length)
  })

  test("[E3] two readers at different places each get their own rest", () => {
    const journal = source(log)
    const places = new Projections(journal)
    for (const after of [700, 100, 701, 100, log.length - 3, 0])
      expect(page(places, journal, after, log.length).data, `after ${after}`).toEqual(framesAfter(after))
  })

  test("[J8] a reader that reconnects does not cause the run to be read again", () => {
    const journal = source(log)
    const places = new Projections(journal)
    page(places, journal, log.length - 10, 5)
    const before = journal.counted.read
    page(places, journal, log.length - 5, 5)
    page(places, journal, log.length - 10, 5)
    expect(journal.counted.read - before).toBe(10)
  })
})
