// A run of one agent that is called from outside a run [T2]: what cannot be started takes no place.

import { expect, test } from "vitest"
import { subagents } from "../../../src/cloudflare/clients/subagents.ts"

test("[H6] an agent whose model has no price, under a limit in dollars, gives its place back", async () => {
  const back: string[] = []
  const pinned = {
    ok: true,
    pins: { models: { a: "cloud/dear" } },
    money: { dollars: true },
    flow: { id: "subagent:a", autonomous: true, task_required: false, inputs: {} },
    rehearsed: false,
  }
  const calls = subagents({
    tenant: { pin: async () => pinned } as never,
    name: "acme",
    sessions: {} as never,
    giveBack: async (run) => void back.push(run),
    runId: async () => "run_1",
    sessionId: async () => "s",
    run: () => ({}) as never,
  })
  const said = await calls.run({ agent: "a", task: "go" } as never)
  expect(said).toMatchObject({ kind: "failed", message: expect.stringContaining("cloud/dear") })
  expect(back).toEqual(["run_1"])
})
