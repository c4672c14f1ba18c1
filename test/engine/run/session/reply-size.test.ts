// The most that one reply of a model may hold [G6]: a longer one is not done, the model is told so, and the session goes on.

import { describe, expect, test } from "vitest"
import { done, Stand, type Turn } from "../../../support/engine/stand.ts"

const FLOW = "name: f\ndescription: d\nsteps:\n  - { id: a, type: agent, agent: w }\n"
const WORKER = "---\nname: w\ndescription: d\ntools: [ls, write]\n---\nWork.\n"

/** Answers once, and then finishes. Returns what the model was told in between. */
async function after(turn: Turn): Promise<{ stand: Stand; told: string }> {
  const stand = new Stand(FLOW, [WORKER])
  stand.start()
  await (await stand.next("a")).answer(turn)
  await stand.settle()
  const asked = await stand.next("a")
  const last = asked.request.messages.at(-1)
  const told = last?.role === "tool" ? last.content.map((p) => (p.type === "text" ? p.text : "")).join("") : (last?.text ?? "")
  await asked.answer(done())
  expect(stand.conductor.run.status).toBe("succeeded")
  return { stand, told }
}

describe("a reply that is too large", () => {
  test("[G6] as text: the model is told both figures, its start is kept, and the session goes on", async () => {
    const { stand, told } = await after({ text: "x".repeat(400_001) })
    expect(told).toMatch(/^invalid_args: too large, 400001 of at most 400000 characters/)
    const replied = stand.events().find((e) => e.type === "model.replied")
    expect(replied).toMatchObject({ text: "x".repeat(2_000), cut: { size: 400_001, most: 400_000 }, stopReason: "length" })
    expect(JSON.stringify(stand.events()).length).toBeLessThan(20_000)
  })

  test("[G6] as text of 400,000 characters it is whole", async () => {
    const { stand } = await after({ text: "x".repeat(400_000) })
    expect(stand.events().find((e) => e.type === "model.replied")).not.toHaveProperty("cut")
  })

  test("[G6] with calls: none of them runs, and each is told why", async () => {
    const call = { name: "write", args: { path: "a.md", content: "x" } }
    const { stand, told } = await after({
      text: "x".repeat(500_000),
      calls: [call, { name: "finish", args: { status: "complete", summary: "x" } }],
    })
    expect(told).toMatch(/^invalid_args: too large, 500000 of at most 400000 characters/)
    expect(stand.events().filter((e) => e.type === "tool.refused")).toMatchObject([{ code: "invalid_args" }, { code: "invalid_args" }])
    expect(stand.journal.list("")).toEqual([])
  })

  test("[G6] so long that it was not read to its end: the same", async () => {
    const error = { message: "too long", retryable: false, tooLong: 2_000_004 }
    const { told } = await after({ text: "x".repeat(1_999_999), error })
    expect(told).toMatch(/^invalid_args: too large, 2000004 of at most 400000 characters/)
  })

  test("[G6] again and again it ends like any other reply without a finish, and not without an end", async () => {
    const stand = new Stand(FLOW, [WORKER])
    stand.start()
    for (let n = 0; n < 3; n++) await (await stand.next("a")).answer({ text: "x".repeat(400_001) })
    expect(stand.conductor.run.error).toMatchObject({ source: "agent_no_finish" })
  })

  test.each([
    [262_145, 262_144],
    [300_000, 262_144],
  ])("[G6] arguments of %s characters: the call is told both figures", async (size, most) => {
    const args = JSON.stringify({ path: "a.md", content: "" })
    const { told } = await after({ calls: [{ name: "write", args: args.replace('""', `"${"x".repeat(size - args.length)}"`) }] })
    expect(told).toContain(`invalid_args: too large, ${size} of at most ${most} characters`)
  })

  test("[G6] arguments of a finish: the same, and the finish may be sent again", async () => {
    const { told } = await after(done("x".repeat(300_000)))
    expect(told).toMatch(/invalid_args: too large, 300\d\d\d of at most 262144 characters/)
  })
})

test("[J20] the message of a failed call is cut to 2,000 characters", async () => {
  const s = new Stand(FLOW, [WORKER])
  s.start()
  await (await s.next("a")).answer({ error: { retryable: false, message: "x".repeat(50_000) } })
  await s.settle()
  expect(s.journal.read(0, 10_000).find((e) => e.type === "model.failed")).toMatchObject({ message: "x".repeat(2_000) })
})
