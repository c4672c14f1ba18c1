// Upgrade and rollback while runs are under way: golden journals, and journals with events of a newer build (docs/OPERATING.md). The former fold to
// the views of their build and continue; in the latter, unknown events are skipped and kept.

import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { parseAgent } from "../../../src/core/language/parse-agent.ts"
import { parseFlow } from "../../../src/core/language/parse-flow.ts"
import { apply } from "../../../src/core/run/apply.ts"
import { Envelope, Fact, type RunEvent } from "../../../src/core/run/event.ts"
import { PiFlows } from "../../../src/core/run/views/pi-flows.ts"
import { compile, type Plan } from "../../../src/core/run/plan.ts"
import { restore, takeSnapshot, type SnapshotParts } from "../../../src/core/run/snapshot.ts"
import { RunSpans } from "../../../src/core/run/views/spans.ts"
import { newRun, type Run } from "../../../src/core/run/state.ts"
import { StepMessages } from "../../../src/core/run/session/step-messages.ts"
import { view, type RunView } from "../../../src/core/run/views/view.ts"
import { SPECS } from "../../../src/tools/toolbox.ts"
import { done, sha256, Stand } from "../../support/engine/stand.ts"

const folder = new URL("../../fixtures/journals/", import.meta.url)
const text = (path: string): string => readFileSync(new URL(path, folder), "utf8")
const AGENTS = { worker: text("agents/worker.md"), judge: text("agents/judge.md") }

interface Golden {
  readonly name: string
  readonly flow: string
  /** The views of that build, by `seq`. */
  readonly views: readonly RunView[]
  readonly events: readonly RunEvent[]
}

function golden(name: string): Golden {
  const [head = "", ...lines] = text(name).trim().split("\n")
  const { flow, views } = JSON.parse(head) as { flow: string; views: RunView[] }
  return { name, flow, views, events: lines.map((line) => JSON.parse(line) as RunEvent) }
}

const GOLDEN = readdirSync(folder).flatMap((name) => (name.endsWith(".jsonl") ? [golden(name)] : []))
const named = (name: string): Golden => {
  const found = GOLDEN.find((g) => g.name === name)
  if (!found) throw new Error(`no journal ${name}`)
  return found
}

function planOf(flow: string): Plan {
  const parsed = parseFlow(text(`flows/${flow}.yaml`), flow)
  if (!parsed.flow) throw new Error(JSON.stringify(parsed.diagnostics))
  const agents = Object.entries(AGENTS).flatMap(([name, body]) => {
    const { agent } = parseAgent(body, { tools: new Set(SPECS.keys()), skills: new Set() })
    return agent ? [[name, agent] as const] : []
  })
  return compile({ flow: parsed.flow, agents: Object.fromEntries(agents), skills: {}, tools: [...SPECS.values()] })
}

const fold = (plan: Plan, events: readonly RunEvent[]): Run => events.reduce(apply, newRun(plan))
const shown = (run: Run): unknown => JSON.parse(JSON.stringify(view(run)))
/** A run's object of this build, woken on an existing journal. */
function woken({ flow }: Golden, events: readonly RunEvent[]): Stand {
  const stand = new Stand(text(`flows/${flow}.yaml`), Object.values(AGENTS))
  stand.foreign = true
  stand.journal.commit({ events: [...events], after: 0 })
  stand.now = (events.at(-1)?.at ?? 0) + 60_000
  return stand
}

describe("upgrade: a golden journal", () => {
  test.each(GOLDEN)("[J8, S5] $name folds to the views of that build", ({ flow, views, events }) => {
    const plan = planOf(flow)
    expect(views.at(-1)?.seq).toBe(events.at(-1)?.seq)
    for (const old of views) expect(shown(fold(plan, events.slice(0, old.seq)))).toMatchObject(old)
  })

  test.each(GOLDEN)("[F72, S5] $name pins these definitions, and its chain [J7] holds", ({ flow, events }) => {
    const [first] = events
    if (first?.type !== "run.started") throw new Error("no run.started")
    expect(first.pinned.flow).toEqual({ id: flow, hash: sha256(text(`flows/${flow}.yaml`)) })
    for (const [name, hash] of Object.entries(first.pinned.agents)) expect(hash).toBe(sha256(text(`agents/${name}.md`)))
    for (const [i, e] of events.entries()) {
      expect(e.seq).toBe(i + 1)
      expect(e.prev).toBe(i === 0 ? "0".repeat(64) : sha256(JSON.stringify(events[i - 1])))
    }
  })

  test.each(GOLDEN)("[E1, S5] $name has no event and no field that this build has dropped", ({ events }) => {
    for (const e of events) expect({ ...Fact.parse(e), ...Envelope.parse(e) }).toEqual(e)
  })

  test.each(GOLDEN)("[J8, S5] $name folds to the same state from a snapshot at any event", ({ flow, events }) => {
    const plan = planOf(flow)
    const whole = shown(fold(plan, events))
    for (let at = 1; at < events.length; at++) {
      const parts = JSON.parse(JSON.stringify(takeSnapshot(fold(plan, events.slice(0, at))))) as SnapshotParts
      expect(shown(events.slice(at).reduce(apply, restore(plan, parts)))).toEqual(whole)
    }
  })

  test.each(["loop", "parent"])("[J8, S5] %s goes on from a snapshot that its build took in the middle of it", (name) => {
    const { flow, events } = named(`${name}.jsonl`)
    const { snapshot } = JSON.parse(text(`${name}.snapshot.json`)) as { snapshot: SnapshotParts }
    const plan = planOf(flow)
    expect(snapshot.head.seq).toBeGreaterThan(1)
    expect(snapshot.head.seq).toBeLessThan(events.length)
    expect(shown(events.slice(snapshot.head.seq).reduce(apply, restore(plan, snapshot)))).toEqual(shown(fold(plan, events)))
  })

  test("[J10, S5] a person answers its question, and this build completes the run", async () => {
    const { views, events } = named("asked.jsonl")
    const open = events.slice(0, views[0]?.seq)
    const stand = woken(named("asked.jsonl"), open)
    stand.conductor.tick()
    expect(stand.conductor.run.status).toBe("waiting")
    expect(stand.conductor.tell({ type: "answer", id: "i1", body: { answer: "Deep dive", notes: "by noon" }, by: "ann" }).ok).toBe(true)
    await (await stand.next("deep")).answer(done("deep enough"))
    expect(shown(stand.conductor.run)).toMatchObject({ status: "succeeded", output: { step: "deep", summary: "deep enough" } })
    expect(stand.events().slice(0, open.length)).toEqual(open)
    expect(stand.faults).toEqual([])
  })

  test("[J10, S5] effects under way between any two commits are made again", async () => {
    const { events } = named("loop.jsonl")
    const ends: string[] = []
    // All events of a commit have one time [J15]; several commits may have the same time.
    const borders = events.flatMap((e, i) => (i > 0 && e.at !== events[i - 1]?.at ? [i] : []))
    expect(borders.length).toBeGreaterThan(10)
    for (const at of borders) {
      const stand = woken(named("loop.jsonl"), events.slice(0, at))
      stand.conductor.tick()
      for (let n = 0; n < 40 && stand.conductor.run.ended === undefined; n++) {
        await stand.settle()
        const open = Object.values(stand.conductor.run.underway).find((u) => u.kind === "model")
        if (!open) break
        await (await stand.next(open.step)).answer(open.step === "check" ? done("Good.", { branch: "exit" }) : done(open.step))
      }
      ends.push(stand.conductor.run.status)
      expect(stand.events().slice(0, at)).toEqual(events.slice(0, at))
      expect(stand.faults).toEqual([])
    }
    expect(new Set(ends)).toEqual(new Set(["succeeded"]))
  })
})

/** The journal as a newer build would write it: with something unknown to this build, and a new hash chain. */
function withNews(events: readonly RunEvent[], at: number, news: object): RunEvent[] {
  const list = [...events.slice(0, at), { ...events[at - 1], type: undefined, ...news, v: 2 }, ...events.slice(at)]
  let prev = "0".repeat(64)
  return list.map((e, i) => {
    const sealed = JSON.parse(JSON.stringify({ ...e, seq: i + 1, prev })) as RunEvent
    prev = sha256(JSON.stringify(sealed))
    return sealed
  })
}

describe("rollback: a journal with events of a newer build", () => {
  const news = { type: "run.relocated", step: "draft", region: { name: "north" }, hops: [1, 2] }

  test.each(GOLDEN)("[J8, S5] $name with an event of an unknown type and a newer `v` at any place: it is skipped", (one) => {
    const plan = planOf(one.flow)
    const { seq: _, ...whole } = view(fold(plan, one.events))
    for (let at = 1; at <= one.events.length; at++) {
      const run = fold(plan, withNews(one.events, at, news))
      // What follows the end is the run's postscript, and not shown by the view [K34].
      expect(view(run)).toEqual({ ...whole, seq: one.events.length + (at < one.events.length ? 1 : 0) })
    }
  })

  test.each(GOLDEN)("[E1, S5] $name with new fields in known events: they are skipped", ({ flow, events }) => {
    const plan = planOf(flow)
    const more = events.map((e) => ({ ...e, v: 2, later: { a: [1] } }))
    expect(view(fold(plan, more))).toEqual(view(fold(plan, events)))
  })

  test.each(GOLDEN)("[E1, S5] readers of $name by event skip it too", ({ flow, events }) => {
    const plan = planOf(flow)
    const told = (list: readonly RunEvent[]): unknown => {
      const [frames, spans] = [new PiFlows(plan), new RunSpans(sha256)]
      const messages = plan.stepIds.map((id) => new StepMessages(id))
      return [
        list.flatMap((e) => frames.frames(e)).map((f) => f.event),
        list.flatMap((e) => spans.take(e)).map((s) => s.name),
        messages.flatMap((m) => list.flatMap((e) => (m.take(e), m.taken())).map((said) => said.role)),
      ]
    }
    for (let at = 1; at <= events.length; at++) expect(told(withNews(events, at, news))).toEqual(told(events))
  })

  test("[J10, S5] the run and its hash chain continue after it, and it stays unchanged in the journal", async () => {
    const { views, events } = named("asked.jsonl")
    const open = withNews(events.slice(0, views[0]?.seq), 4, news)
    const stand = woken(named("asked.jsonl"), open)
    stand.conductor.tick()
    expect(stand.conductor.tell({ type: "answer", id: "i1", body: { answer: "Quick look" }, by: "ann" }).ok).toBe(true)
    await (await stand.next("quick")).answer(done("quick"))
    expect(stand.conductor.run.status).toBe("succeeded")
    const after = stand.events()
    expect(after.slice(0, open.length)).toEqual(open)
    for (const [i, e] of after.entries()) if (i > 0) expect(e.prev).toBe(sha256(JSON.stringify(after[i - 1])))
    expect(stand.faults).toEqual([])
  })

  test("[J10, S5] an action of an unknown kind is marked as lost, and nothing waits for it", async () => {
    const { views, events } = named("asked.jsonl")
    const begun = { type: "action.begun", key: "how/1/oracle", kind: "oracle", step: "how", attempt: 1 }
    const open = withNews(events.slice(0, views[0]?.seq), views[0]?.seq ?? 0, begun)
    const stand = woken(named("asked.jsonl"), open)
    stand.conductor.tick()
    expect(stand.events().slice(open.length)).toMatchObject([{ type: "action.lost", key: "how/1/oracle", kind: "oracle" }])
    expect(stand.conductor.run).toMatchObject({ status: "waiting", underway: {} })
    expect(stand.conductor.tell({ type: "answer", id: "i1", body: { answer: "Quick look" }, by: "ann" }).ok).toBe(true)
    await (await stand.next("quick")).answer(done("quick"))
    expect(stand.conductor.run.status).toBe("succeeded")
  })
})
