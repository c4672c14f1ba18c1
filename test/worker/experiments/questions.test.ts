// [V35, V36] What a trial asks a person is answered as its recording or its row says; else it is stopped, and its row is left out.

import { beforeAll, expect, test } from "vitest"
import type { ExperimentRowShown, ExperimentShown } from "../../../src/api/doc/experiments.doc.ts"
import type { RunEvent } from "../../../src/core/run/event.ts"
import type { RunView } from "../../../src/core/run/views/view.ts"
import { ask, call, ended, eventsOf, flow, start, until } from "../../support/worker/house.ts"

const agent = (name: string, model = name): string =>
  `---\nname: ${name}\ndescription: ${name}\nmodel: asked/${model}\ntools: ask_user\n---\nDo it. \${{task}}\n`
const finish = (summary: string) => ({ finish: { status: "complete", summary } })
const question = (text: string) => ({ calls: [{ tool: "ask_user", args: { question: text, type: "input" } }] })
const FINE = { "fine.yaml": "name: fine\ndescription: It succeeds.\nexpect: { status: succeeded }\n" }

beforeAll(async () => {
  await ask("PUT", "/v1/settings/providers/asked", {
    kind: "scripted",
    turns: {
      asker: [question("Which?"), finish("Asked.")],
      again: [question("Which?"), question("Why?"), finish("Asked twice.")],
      quiet: [finish("Asked nothing.")],
      down: [{ error: { status: 400, message: "no such model" } }],
    },
  })
  await ask("PUT", "/v1/catalog", {
    agents: { "asker.md": agent("asker"), "quiet.md": agent("quiet"), "other.md": agent("other", "again") },
    flows: {
      "asks.yaml": flow("asks", "  - { id: q, agent: asker }\n", "autonomous: false\n"),
      "over.yaml": flow("over", "  - { id: o, type: flow-ref, flow: below }\n"),
      "below.yaml": flow("below", "  - { id: b, agent: quiet }\n"),
    },
    scorers: FINE,
  })
}, 60_000)

async function experiment(body: object): Promise<{ seen: ExperimentShown; rows: ExperimentRowShown[] }> {
  const { id } = await ask<{ id: string }>("POST", "/v1/experiments", { flow: "asks", scorers: ["fine"], ...body })
  let seen: ExperimentShown | undefined
  await expect
    .poll(async () => (seen = await ask<ExperimentShown>("GET", `/v1/experiments/${id}`)).status, { timeout: 30_000 })
    .toBe("done")
  if (!seen) throw new Error("it is gone")
  return { seen, rows: (await ask<{ data: ExperimentRowShown[] }>("GET", `/v1/experiments/${id}/rows`)).data }
}
const answersIn = (events: readonly RunEvent[]) => events.flatMap((e) => (e.type === "interaction.answered" ? [[e.answer, e.by]] : []))
const trialOf = (rows: readonly ExperimentRowShown[], variant: string) => rows[0]?.trials.find((one) => one.variant === variant)

async function recorded(): Promise<string> {
  const run = await start("asks")
  await until(run, (view) => view.pending > 0)
  const { data } = await ask<{ data: { id: string }[] }>("GET", `/v1/runs/${run}/interactions?status=pending`)
  await ask("POST", `/v1/runs/${run}/interactions/${data[0]?.id}`, { answer: "left" })
  await until(run, ended)
  return run
}

test("[V35] a question gets the recorded answer in its place, and one more stops the trial", async () => {
  const runs = [await recorded()]
  const twice = { name: "twice", definitions: { "agents/asker.md": agent("asker", "again") } }
  const told = { name: "told", definitions: { "agents/asker.md": agent("asker").replace("Do it.", "Do it well.") } }
  const { seen, rows } = await experiment({ dataset: { runs }, variants: [told, twice] })
  expect(trialOf(rows, "told")).toMatchObject({ state: "succeeded", scores: { fine: 1 } })
  expect(answersIn(await eventsOf(trialOf(rows, "told")?.run ?? ""))).toEqual([["left", "experiment"]])
  const stopped = trialOf(rows, "twice")
  expect(stopped).toMatchObject({ state: "stopped" })
  expect(answersIn(await eventsOf(stopped?.run ?? ""))).toEqual([["left", "experiment"]])
  expect((await ask<RunView>("GET", `/v1/runs/${stopped?.run}`)).status).toBe("canceled")
  expect(seen.variants).toMatchObject([{ stopped: 0 }, { stopped: 1, failed: 0 }])
  expect(seen.left_out).toMatchObject([{ why: "a trial of twice was stopped" }])
  expect(seen.flags).toEqual(expect.arrayContaining(["incomplete", "uneven"]))
}, 60_000)

test("[V35] a row without a run has its own answers, those of a step first", async () => {
  await ask("PUT", "/v1/datasets/asked", { flow: "asks" })
  await ask("POST", "/v1/datasets/asked/rows", { rows: [{ task: "go", answers: [{ answer: "any" }, { step: "q", answer: "of q" }] }] })
  const twice = { name: "twice", definitions: { "agents/asker.md": agent("asker", "again") } }
  const { rows } = await experiment({ dataset: "asked", variants: [{ name: "now" }, twice] })
  expect(rows[0]?.trials.map(({ state }) => state)).toEqual(["succeeded", "succeeded"])
  expect(answersIn(await eventsOf(trialOf(rows, "now")?.run ?? ""))).toEqual([["of q", "experiment"]])
  expect(answersIn(await eventsOf(trialOf(rows, "twice")?.run ?? ""))).toEqual([
    ["of q", "experiment"],
    ["any", "experiment"],
  ])
}, 60_000)

test("[V32] `agents` puts another agent's definition in the place of the flow's, and one that is not there is 422", async () => {
  const runs = [await recorded()]
  const { rows } = await experiment({ dataset: { runs }, variants: [{ name: "now" }, { name: "quiet", agents: { asker: "quiet" } }] })
  const events = await eventsOf(trialOf(rows, "quiet")?.run ?? "")
  expect(trialOf(rows, "quiet")).toMatchObject({ state: "succeeded" })
  expect(events.findLast((e) => e.type === "step.opened")).toMatchObject({ agent: "asker", model: "asked/quiet" })
  expect(events.findLast((e) => e.type === "step.finished")).toMatchObject({ summary: "Asked nothing." })
  const refused = async (agents: object): Promise<unknown> => {
    const r = await call("POST", "/v1/experiments", {
      flow: "asks",
      dataset: { runs },
      scorers: ["fine"],
      variants: [{ name: "now" }, { agents }],
    })
    return [r.status, await r.json()]
  }
  expect(await refused({ asker: "nobody" })).toMatchObject([422, { errors: [{ pointer: "/variants/1/agents/asker" }] }])
  expect(await refused({ stranger: "quiet" })).toMatchObject([422, { errors: [{ pointer: "/variants/1/agents/stranger" }] }])
}, 60_000)

test("[V36] a provider that fails below stops the trial, and is no variant's failure", async () => {
  const run = await start("over")
  await until(run, ended)
  const down = { name: "down", definitions: { "agents/quiet.md": agent("quiet", "down") } }
  const { rows, seen } = await experiment({ flow: "over", dataset: { runs: [run] }, variants: [{ name: "now" }, down] })
  expect(trialOf(rows, "down")).toMatchObject({ state: "stopped" })
  expect(seen.variants).toMatchObject([
    { failed: 0, stopped: 0 },
    { failed: 0, stopped: 1 },
  ])
}, 60_000)
