// `until` over HTTP [V23–V27]: code and judges score passes in workerd, an object is aborted meanwhile, and files of later rounds are put back.

import { abortAllDurableObjects } from "cloudflare:test"
import { beforeAll, expect, test } from "vitest"
import type { RunView } from "../../../src/core/run/views/view.ts"
import type { Replayed } from "../../../src/ports/run.ts"
import { agent, ask, call, ended, eventsOf, flow, start, until } from "../../support/worker/house.ts"

const wrote = (text: string): object => ({ finish: { status: "complete", summary: text } })
const writes = (text: string): object => ({ calls: [{ tool: "write", args: { path: "a.txt", content: text } }] })

beforeAll(async () => {
  await ask("PUT", "/v1/settings/providers/rounds", {
    kind: "scripted",
    turns: {
      writer: [{ ...wrote("short"), last: true }, wrote("a longer text")],
      filer: [writes("one"), { ...wrote("good"), last: true }, writes("two"), wrote("bad")],
      judge: [{ finish: { status: "complete", summary: "s", reason: "too plain", level: "half" } }],
    },
  })
  const on = (name: string): string => agent(name).replace("rehearsal/default", `rounds/${name}`)
  await ask("PUT", "/v1/catalog", {
    agents: { "writer.md": on("writer"), "filer.md": on("filer"), "next.md": agent("next") },
    flows: {
      "coded.yaml": flow(
        "coded",
        "  - { id: write, type: agent, agent: writer, until: { scorer: long, at_least: 1 } }\n  - { id: next, type: agent, agent: next, blockedBy: write }\n",
      ),
      "judged.yaml": flow("judged", "  - { id: write, type: agent, agent: writer, until: { scorer: plain, at_least: 0.5 } }\n"),
      "never.yaml": flow(
        "never",
        "  - { id: file, type: agent, agent: filer, on_error: next, until: { scorer: good, at_least: 1, rounds: 2 } }\n  - { id: next, type: agent, agent: next }\n",
      ),
      "above.yaml": flow("above", "  - { id: ref, type: flow-ref, flow: inner, until: { scorer: succeeded, at_least: 1 } }\n"),
      "inner.yaml": flow("inner", "  - { id: write, type: agent, agent: writer, until: { scorer: long, at_least: 1 } }\n"),
    },
    scorers: {
      "long.yaml": "name: long\ndescription: Long enough.\ncode: true\n",
      "long.ts":
        "export default (account: { answer: string }) => ({ score: account.answer.length > 8 ? 1 : 0, reason: `has ${account.answer.length}` })\n",
      "good.yaml": "name: good\ndescription: Good.\ncode: true\n",
      "good.ts": "export default (account: { answer: string }) => (account.answer === 'good' ? 0.5 : 0.1)\n",
      "plain.yaml":
        "name: plain\ndescription: Plain.\njudge: { rubric: Is it plain?, levels: { 0: no, 0.5: half, 1: all }, model: rounds/judge }\n",
    },
  })
})

const done = async (name: string, id?: string): Promise<RunView> => until(id ?? (await start(name)), ended)
const isIdentical = async (id: string): Promise<boolean> => (await ask<Replayed>("GET", `/v1/runs/${id}/replay`)).identical

test("[V23] a handler decides when a step is done, the next round knows why, and the journal replays identically", async () => {
  const view = await done("coded")
  expect([view.status, view.error]).toEqual(["succeeded", undefined])
  const events = await eventsOf(view.id)
  expect(events.filter((e) => e.type === "step.scored")).toMatchObject([
    { step: "write", pass: 1, round: 1, scorer: "long", score: 0, reason: "has 5", enough: false },
    { step: "write", pass: 2, round: 2, scorer: "long", score: 1, enough: true },
  ])
  expect(view.steps["write"]).toMatchObject({ status: "complete", summary: "a longer text", until: { scorer: "long", round: 2 } })
  const opened = events.filter((e) => e.type === "step.opened" && e.step === "write").at(-1)
  expect(opened).toMatchObject({
    apart: [{ name: "Round" }, { name: "Last result", text: "short" }, { name: "Score" }, { name: "Reason", text: "has 5" }],
  })
  expect(view.pinned).toMatchObject({ scorers: { long: { version: expect.stringMatching(/^[0-9a-f]{12}$/) } } })
  expect(await isIdentical(view.id)).toBe(true)
})

test("[V27] a judge's run is a child that no list shows, and its level is the score", async () => {
  const view = await done("judged")
  expect([view.status, view.error]).toEqual(["succeeded", undefined])
  const [scored] = (await eventsOf(view.id)).flatMap((e) => (e.type === "step.scored" ? [e] : []))
  expect(scored).toMatchObject({ scorer: "plain", score: 0.5, level: "half", reason: "too plain", enough: true })
  const judge = await ask<RunView>("GET", `/v1/runs/${scored?.judge ?? ""}`)
  expect(judge).toMatchObject({
    flow: "@judge/plain",
    status: "succeeded",
    trigger: { kind: "score", score: { run: view.id, scorer: "plain" } },
  })
  expect(judge.task).toContain("Is it plain?")
  const all = await ask<{ data: { id: string }[] }>("GET", "/v1/runs?limit=100")
  expect(all.data.map(({ id }) => id)).not.toContain(judge.id)
  expect(await isIdentical(view.id)).toBe(true)
})

test("[V25] a step that fails has its best round's outputs and files", async () => {
  const view = await done("never")
  expect([view.status, view.error]).toEqual(["succeeded", undefined])
  expect(view.steps["file"]).toMatchObject({ status: "error", source: "score", summary: "good" })
  const file = await call("GET", `/v1/runs/${view.id}/files/a.txt`)
  expect(await file.text()).toBe("one")
  const events = await eventsOf(view.id)
  const at = events.findIndex((e) => e.type === "step.finished" && e.step === "file")
  expect(events[at - 1]).toMatchObject({ type: "file.changed", step: "file", path: "a.txt" })
  expect(await isIdentical(view.id)).toBe(true)
})

test("[V27] scorers of child flows are pinned with them", async () => {
  const view = await done("above")
  expect([view.status, view.error]).toEqual(["succeeded", undefined])
  expect(view.steps["ref"]).toMatchObject({ status: "complete", until: { scored: [{ score: 1, enough: true }] } })
})

test("[V23, J10] an object that is aborted while its step is judged loses nothing", async () => {
  for (const name of ["coded", "judged", "never"]) {
    const id = await start(name)
    for (let kills = 0; kills < 3; kills++) {
      await until(id, (view) => ended(view) || (view.seq ?? 0) > 4 * (kills + 1))
      await abortAllDurableObjects()
    }
    const view = await done(name, id)
    expect([name, view.status]).toEqual([name, "succeeded"])
    const scored = (await eventsOf(id)).filter((e) => e.type === "step.scored")
    expect([name, scored.length]).toEqual([name, name === "judged" ? 1 : 2])
    expect(await isIdentical(id)).toBe(true)
  }
})
