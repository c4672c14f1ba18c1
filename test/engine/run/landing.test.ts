// How effects land: two changes of one file, and an effect that cannot be performed.

import { describe, expect, test } from "vitest"
import type { Effect } from "../../../src/core/run/begin.ts"
import { Conductor } from "../../../src/engine/run/conductor.ts"
import type { Performed } from "../../../src/engine/run/conduct/stage.ts"
import { wrapTool } from "../../../src/engine/run/call/tool-hooks.ts"
import type { Tool } from "../../../src/ports/tool.ts"
import { write } from "../../../src/tools/files/write.ts"
import { agent, done, flow, sha256, Stand } from "../../support/engine/stand.ts"

const agents = [agent("a", "tools: write, edit\n")]

describe("effects land", () => {
  test("[J11] if two steps change one file at the same time, neither change is lost", async () => {
    const stand = new Stand(
      flow(
        "  - { id: a, type: agent, agent: a }\n  - { id: b, type: agent, agent: a, blockedBy: a }\n  - { id: c, type: agent, agent: a, blockedBy: a }\n",
      ),
      agents,
    )
    stand.start()
    await (await stand.next("a")).answer({ calls: [{ name: "write", args: { path: "x.txt", content: "one two" } }] })
    await stand.settle()
    await (await stand.next("a")).answer(done())
    const edit = (oldText: string, newText: string) => ({ calls: [{ name: "edit", args: { path: "x.txt", oldText, newText } }] })
    const [b, c] = [await stand.next("b"), await stand.next("c")]
    await Promise.all([b.answer(edit("one", "1")), c.answer(edit("two", "2"))])
    await stand.settle()
    const body = await stand.blobs.get(stand.journal.stat("x.txt")?.hash ?? "")
    expect(new TextDecoder().decode(body)).toBe("1 2")
    expect(stand.faults).toEqual([])
  })

  const BOTH = "  - { id: a, type: agent, agent: s }\n  - { id: b, type: agent, agent: s }\n"
  const told = (stand: Stand): string[] =>
    stand.events().flatMap((e) => (e.type === "tool.returned" ? [e.content.map((c) => (c.type === "text" ? c.text : "")).join(" ")] : []))

  /** Two steps call the tool at the same time; each has read the files before the other wrote. */
  async function twoOrders(more: Partial<Tool> = {}, wraps = (tool: Tool): Tool => tool): Promise<{ stand: Stand; sent: string[] }> {
    const sent: string[] = []
    const waiting: (() => void)[] = []
    const order: Tool = wraps({
      name: "shop.order",
      description: "orders",
      parameters: { type: "object", properties: { item: { type: "string" } } },
      effect: "write",
      contexts: ["agent"],
      async execute(_id, { item }, _signal, _update, { workspace }) {
        const before = new TextDecoder().decode((await workspace.read("orders.txt")) ?? new Uint8Array())
        sent.push(`1 ${String(item)}`)
        // Both have read before either writes.
        if (sent.length <= 2)
          await new Promise<void>((go) => {
            waiting.push(go)
            if (waiting.length === 2) for (const one of waiting) one()
          })
        await workspace.write("orders.txt", new TextEncoder().encode(`${before}${String(item)}\n`))
        await workspace.write(`${String(item)}.txt`, new TextEncoder().encode("ordered"))
        return { content: [{ type: "text", text: "ordered" }] }
      },
      ...more,
    })
    const stand = new Stand(flow(BOTH), [agent("s", "tools: [shop.order]\n")], [order])
    stand.start()
    const [a, b] = [await stand.next("a"), await stand.next("b")]
    const calls = (item: string) => ({ calls: [{ name: "shop.order", args: { item } }] })
    await Promise.all([a.answer(calls("anvil")), b.answer(calls("piano"))])
    await stand.settle()
    return { stand, sent: sent.toSorted() }
  }

  const KINDS: readonly Partial<Tool>[] = [{}, { groups: ["fs"] }, { effect: "read" }, { idempotent: true }]
  test.each(KINDS)("[J11] a call of a project's tool that sends and writes a file is not made again for the file: %j", async (more) => {
    const { stand, sent } = await twoOrders(more)
    expect(sent).toEqual(["1 anvil", "1 piano"])
    const answers = told(stand)
    expect(answers).toHaveLength(2)
    expect(answers.filter((text) => text.includes("orders.txt was not saved"))).toHaveLength(1)
    // Each has its own file, and the shared one is that of the first; the second is told.
    expect(["anvil.txt", "piano.txt", "orders.txt"].map((path) => stand.journal.stat(path) !== undefined)).toEqual([true, true, true])
    const wrote = stand.events().flatMap((e) => (e.type === "tool.returned" ? [(e.wrote ?? []).map(({ path }) => path)] : []))
    expect(wrote.map((paths) => paths.length).toSorted((a, b) => a - b)).toEqual([1, 2])
    expect(stand.faults).toEqual([])
  })

  test("[J11] [A10] nor is a tool of the workspace with a project's hook around it", async () => {
    let audits = 0
    const hooked = wrapTool(write, { before: async () => void (audits += 1) })
    const stand = new Stand(flow(BOTH), [agent("s", "tools: [note]\n")], [{ ...hooked, name: "note" }])
    stand.start()
    const [a, b] = [await stand.next("a"), await stand.next("b")]
    const calls = (content: string) => ({ calls: [{ name: "note", args: { path: "x.txt", content } }] })
    await Promise.all([a.answer(calls("one")), b.answer(calls("two"))])
    await stand.settle()
    expect(audits).toBe(2)
  })

  /** A conductor whose effects the test performs itself. */
  function bare(steps: string, perform: (effect: Effect, conductor: Conductor) => Promise<Performed>) {
    const stand = new Stand(flow(steps), agents)
    const alarms: (number | undefined)[] = []
    const conductor: Conductor = new Conductor(stand.plan, {
      journal: stand.journal,
      clock: { now: () => stand.now, id: () => "", random: () => 0 },
      hash: sha256,
      perform: (_run, effect) => perform(effect, conductor),
      publish: () => {},
      alarm: (at) => alarms.push(at),
      fault: () => {},
    })
    stand.conductor = conductor
    return { stand, alarms, conductor }
  }
  const turn = (calls: { name: string; args: object }[]): Performed["signal"] & { type: "model.reply" } => ({
    type: "model.reply",
    key: "",
    reply: {
      text: "",
      thinking: false,
      toolCalls: calls.map((c, i) => ({ id: `c${i}`, name: c.name, args: c.args as never })),
      usage: { input: 1, output: 1 },
      stopReason: "toolUse",
      system: "",
      request: "",
    },
  })

  test("[J11] if another commit changes the file after the check, the call runs again and does not overwrite it", async () => {
    const runs: string[] = []
    const { stand, conductor } = bare("  - { id: a, type: agent, agent: a }\n  - { id: b, type: agent, agent: a }\n", async (effect) => {
      if (effect.do === "call-model")
        return { signal: { ...turn([{ name: "edit", args: { path: "x", oldText: "1", newText: effect.step } }]), key: effect.key } }
      runs.push(effect.step)
      const base = stand.journal.stat("x")?.hash ?? null
      // Both have read and checked the file; neither is committed.
      await Promise.resolve()
      const files = [{ path: "x", base, hash: sha256(`${base}+${effect.step}`), size: 1 }]
      return { signal: { type: "tool.result", key: effect.key, result: { isError: false, content: [], digest: effect.step } }, files }
    })
    stand.start()
    for (let i = 0; i < 20 && conductor.run.usage.tool_calls < 4; i++) await new Promise((r) => setImmediate(r))
    const returned = stand
      .events()
      .filter((e) => e.type === "tool.returned")
      .slice(0, 2)
    expect(returned.map((e) => e.step).sort()).toEqual(["a", "b"])
    const first = returned[0]?.step ?? ""
    const second = returned[1]?.step ?? ""
    // The second change is based on the first.
    expect(runs.slice(0, 3)).toEqual([first, second, second])
  })

  test("[J12] an effect that keeps failing waits for the alarm instead of looping", async () => {
    let asked = 0
    const { stand, alarms, conductor } = bare("  - { id: a, type: agent, agent: a }\n", async () => {
      asked += 1
      throw new Error("the child's object is overloaded")
    })
    stand.start()
    for (let i = 0; i < 50; i++) await new Promise((r) => setImmediate(r))
    expect(conductor.run.status).toBe("running")
    expect(asked).toBeLessThan(4)
    expect(Math.min(...alarms.slice(-1).map((at) => at ?? Infinity))).toBeGreaterThan(stand.now)
    for (let i = 0; i < 3; i++) {
      stand.now += 60_000
      conductor.tick()
      await new Promise((r) => setImmediate(r))
    }
    expect(asked).toBeGreaterThan(4)
    expect(conductor.run.status).toBe("running")
  })

  test("[F23d] a child whose start is under way when its step ends is an orphan by its key: a crash must not leave it running", async () => {
    const { stand, conductor } = bare("  - { id: r, type: flow-ref, flow: kid }\n", () => new Promise(() => {}))
    stand.start()
    conductor.tell({ type: "cancel", by: "test" })
    expect(conductor.run.orphans).toEqual(["r/1/0/child"])
  })

  test("[J8] stored signals have a limit in characters too, because every snapshot contains them", () => {
    const { stand, conductor } = bare("  - { id: w, type: wait, signal: go }\n", () => new Promise(() => {}))
    stand.start()
    const tell = () => conductor.tell({ type: "signal", name: "other", payload: "x".repeat(900_000), by: "test" })
    expect([tell().ok, tell().ok, tell()]).toEqual([true, true, { ok: false, error: { code: "too_many" } }])
    expect(conductor.tell({ type: "signal", name: "go", payload: "x".repeat(900_000), by: "test" }).ok).toBe(true)
  })
})
