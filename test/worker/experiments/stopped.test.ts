// Experiments that end while their trials are at work [V38]: the trials' runs end too, and what they used counts.

import { abortAllDurableObjects } from "cloudflare:test"
import { beforeAll, expect, test } from "vitest"
import type { ExperimentRowShown, ExperimentShown } from "../../../src/api/doc/experiments.doc.ts"
import { agent, ask, call, flow, runOf } from "../../support/worker/house.ts"
import { HELD_PROVIDER, heldModel, type HeldModel } from "../../support/worker/held-model.ts"

const TURNS = [
  { tool: "write", args: { path: "a.md", content: "A" } },
  { tool: "finish", args: { status: "complete", summary: "Done." } },
]
const file = (text: string): string => agent("slow").replace("rehearsal/default", "held/m").replace("Do it.", text)

beforeAll(async () => {
  await ask("PUT", "/v1/settings/providers/held", HELD_PROVIDER)
  await ask("PUT", "/v1/catalog", {
    agents: { "slow.md": file("Do it.") },
    flows: { "slow.yaml": flow("slow", "  - { id: work, agent: slow }\n") },
    scorers: { "fine.yaml": "name: fine\ndescription: It succeeds.\nexpect: { status: succeeded }\n" },
  })
  await ask("PUT", "/v1/datasets/slow", { flow: "slow" })
  await ask("POST", "/v1/datasets/slow/rows", { rows: [{ task: "one" }, { task: "two" }] })
})

/** Four trials, whose first call is answered and whose second one waits. */
async function underWay(model: HeldModel): Promise<{ id: string; trials: string[] }> {
  const { id } = await ask<{ id: string }>("POST", "/v1/experiments", {
    flow: "slow",
    dataset: "slow",
    scorers: ["fine"],
    variants: [{ name: "now" }, { name: "other", definitions: { "agents/slow.md": file("Do it well.") } }],
  })
  await expect.poll(() => model.asked, { timeout: 30_000 }).toBe(4)
  const { data } = await ask<{ data: ExperimentRowShown[] }>("GET", `/v1/experiments/${id}/rows`)
  return { id, trials: data.flatMap((row) => row.trials.map(({ run }) => run ?? "")) }
}

const triedTokens = async (): Promise<number> => {
  const { data } = await ask<{ data: { input: number; output: number }[] }>("GET", "/v1/usage?by=flow")
  return data.reduce((sum, { input, output }) => sum + input + output, 0)
}

test.each([
  ["at once", false],
  ["though its object dies right after the answer", true],
])(
  "[V38] the trials of a stopped experiment are canceled %s, and their tokens count",
  async (_, dies) => {
    const model = heldModel(TURNS, 1)
    const before = await triedTokens()
    const { id, trials } = await underWay(model)
    const stopped = await ask<ExperimentShown>("POST", `/v1/experiments/${id}/stop`)
    expect(stopped).toMatchObject({ status: "stopped", variants: [{ stopped: 2 }, { stopped: 2 }] })
    if (dies) await abortAllDurableObjects()
    for (const trial of trials) await expect.poll(async () => (await runOf(trial)).status, { timeout: 30_000 }).toBe("canceled")
    const used = async (): Promise<number> => (await ask<ExperimentShown>("GET", `/v1/experiments/${id}`)).usage.tokens
    await expect.poll(used, { timeout: 30_000 }).toBe(4 * 15)
    expect((await triedTokens()) - before).toBe(4 * 15)
  },
  90_000,
)

test("[V38] a deleted experiment ends its trials, and their tokens count", async () => {
  const model = heldModel(TURNS, 1)
  const before = await triedTokens()
  const { id, trials } = await underWay(model)
  expect((await call("DELETE", `/v1/experiments/${id}`)).status).toBe(204)
  for (const trial of trials) await expect.poll(async () => (await call("GET", `/v1/runs/${trial}`)).status, { timeout: 30_000 }).toBe(404)
  expect((await triedTokens()) - before).toBe(4 * 15)
}, 90_000)
