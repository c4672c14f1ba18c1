// What a model was asked with, made again from the journal [J21].

import { describe, expect, test } from "vitest"
import type { RunEvent } from "../../../../src/core/run/event.ts"
import { newRun } from "../../../../src/core/run/state.ts"
import { apply } from "../../../../src/core/run/apply.ts"
import { promptOf } from "../../../../src/engine/run/prompt-view.ts"
import type { PromptSeen } from "../../../../src/ports/prompt.ts"
import { Stand, type Asked } from "../../../support/engine/stand.ts"

const FLOW = "name: f\ndescription: d\nsteps:\n  - { id: a, type: agent, agent: w }\n"
const WORKER = "---\nname: w\ndescription: d\ntools: [write, read]\n---\nWork on ${{task}}.\n"
const done = { finish: { status: "complete", summary: "done" } }

/** The prompt of a turn; the run is folded to the event that began it. */
function seen(stand: Stand, turn: number, layer?: number): PromptSeen {
  const events: readonly RunEvent[] = stand.events()
  const begun = events.find((e) => e.type === "action.begun" && e.kind === "model" && e.key === `a/1/${turn}/model`)
  const reply = events.find((e) => e.type === "model.replied" && e.turn === turn)
  if (begun?.type !== "action.begun" || (reply !== undefined && reply.type !== "model.replied"))
    throw new Error(`turn ${turn} was not begun`)
  let run = newRun(stand.conductor.run.plan)
  for (const e of events.slice(0, begun.seq)) run = apply(run, e)
  const found = promptOf({ run, journal: stand.journal, step: "a", key: begun.key, seq: begun.seq, reply, layer })
  if (!found) throw new Error("no prompt")
  return found
}

const size = ({ request }: Asked): number =>
  request.system.length +
  request.messages.reduce(
    (sum, m) =>
      sum + (m.role === "tool" ? m.content.map((p) => (p.type === "text" ? p.text.length : 0)).reduce((a, b) => a + b, 0) : m.text.length),
    0,
  )

describe("the prompt of a turn", () => {
  test("[J21] has the layers in the order in which they were sent, and their texts are the request", async () => {
    const stand = new Stand(FLOW, [WORKER])
    stand.start("the marks")
    const first = await stand.next("a")
    await first.answer({ text: "I write.", calls: [{ name: "write", args: { path: "f", content: "MARK" } }] })
    await stand.settle()
    const second = await stand.next("a")
    const open = seen(stand, 1)
    expect(open.layers.map(({ kind }) => kind)).toEqual(["tools", "agent", "rules", "task", "reply", "results"])
    expect(open).toMatchObject({ step: "a", pass: 1, turn: 1, request: null, usage: null, usd: null })
    expect(open.layers[1]).toMatchObject({ name: "w", source: "agents/w.md" })
    expect(open.layers[5]).toMatchObject({ names: ["write"], turn: 0 })
    expect(open.tools.map(({ name }) => name)).toEqual(second.request.tools.map(({ name }) => name))
    expect(open.tools.every(({ rule, tokens }) => rule !== "" && tokens > 0)).toBe(true)
    const system = open.layers.flatMap(({ kind }, at) => (kind === "agent" || kind === "rules" ? [seen(stand, 1, at).text] : []))
    expect(system.join("\n\n---\n\n")).toBe(second.request.system)
    expect(seen(stand, 1, 3).text).toBe(second.request.messages[0]?.role === "user" ? second.request.messages[0].text : "")
    await second.answer(done)
  })

  test("[J21] an earlier turn is as it was then, whatever came later", async () => {
    const stand = new Stand(FLOW, [WORKER])
    stand.start("the marks")
    const first = await stand.next("a")
    const sent = size(first)
    await first.answer({ calls: [{ name: "write", args: { path: "f", content: "MARK" } }] })
    await stand.settle()
    await (await stand.next("a")).answer(done)
    const { layers, request } = seen(stand, 0)
    expect(layers.map(({ kind }) => kind)).toEqual(["tools", "agent", "rules", "task"])
    // The layers are joined by rules between them.
    expect(layers.slice(1).reduce((sum, { characters }) => sum + characters, 0)).toBe(sent - "\n\n---\n\n".length)
    expect(request).toMatch(/^[0-9a-f]+/)
  })

  test("[J21] the tokens that the provider reported are shared out without a rest, and what came from the cache lies at the beginning", async () => {
    const stand = new Stand(FLOW, [WORKER])
    stand.start("the marks")
    await (await stand.next("a")).answer({ ...done, usage: { input: 1_001, output: 17, cacheRead: 600 } })
    const { layers, usage } = seen(stand, 0)
    expect(usage).toEqual({ input: 1_001, output: 17, cached: 600, cache_written: 0 })
    expect(layers.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(1_001)
    expect(layers.reduce((sum, { cached }) => sum + cached, 0)).toBe(600)
    const last = layers.findLastIndex(({ cached }) => cached > 0)
    expect(layers.slice(0, last).every(({ cached, tokens }) => cached === tokens)).toBe(true)
  })

  test("[J21] a layer that is larger than what is shown is cut, and says so", async () => {
    const stand = new Stand(FLOW, [WORKER])
    stand.start("x".repeat(300_000))
    await stand.next("a")
    const at = seen(stand, 0).layers.findIndex(({ kind }) => kind === "task")
    expect(seen(stand, 0, at)).toMatchObject({ cut: true, text: "x".repeat(262_144) })
    expect(seen(stand, 0, at + 1).text).toBeUndefined()
  })

  test("[J21] of a long conversation the earlier turns are one row", async () => {
    const stand = new Stand(FLOW, ["---\nname: w\ndescription: d\ntools: [read]\nmax_turns: 300\n---\nWork.\n"])
    stand.start("t")
    for (let n = 0; n < 230; n++) {
      await (await stand.next("a")).answer({ calls: [{ name: "read", args: { path: `f${n}` } }] })
      await stand.settle()
    }
    await stand.next("a")
    const { layers } = seen(stand, 230)
    const earlier = layers.find(({ kind }) => kind === "earlier")
    expect(earlier?.count).toBe(60)
    expect(layers.filter(({ kind }) => kind === "reply" || kind === "results")).toHaveLength(400)
  })
})
