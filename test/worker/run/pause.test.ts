// Pause and resume through the Worker [H5]: an eviction changes nothing, children follow their parent, and the list can filter by it.

import { abortAllDurableObjects, evictDurableObject } from "cloudflare:test"
import { beforeAll, describe, expect, test } from "vitest"
import type { RunView } from "../../../src/core/run/views/view.ts"
import { HELD_PROVIDER, heldModel } from "../../support/worker/held-model.ts"
import { agent, ask, ended, eventsOf, flow, runOf, start, stub, until } from "../../support/worker/house.ts"
import { until as untilIt } from "../../support/worker/service-client.ts"

const SLOW = [{ tool: "finish", args: { status: "complete", summary: "slow" } }]

beforeAll(async () => {
  await ask("PUT", "/v1/settings/providers/held", HELD_PROVIDER)
  await ask("PUT", "/v1/catalog", {
    agents: { "a.md": agent("a"), "slow.md": agent("slow").replace("rehearsal/default", "held/m") },
    flows: {
      "line.yaml": flow("line", "  - { id: a, type: agent, agent: slow }\n  - { id: b, type: agent, agent: a, blockedBy: a }\n"),
      "child.yaml": flow("child", "  - { id: w, type: wait, signal: go }\n  - { id: x, type: agent, agent: a, blockedBy: w }\n"),
      "parent.yaml": flow("parent", "  - { id: r, type: flow-ref, flow: child }\n"),
    },
  })
})

const pause = (id: string) => ask<RunView>("POST", `/v1/runs/${id}/pause`, {})
const resume = (id: string) => ask<RunView>("POST", `/v1/runs/${id}/resume`, {})
const types = async (id: string): Promise<string[]> => (await eventsOf(id)).map((e) => e.type)

describe("pause", () => {
  test("[H5] effects under way finish, nothing begins, and an ended run is returned unchanged", async () => {
    const model = heldModel(SLOW)
    const id = await start("line")
    await untilIt(async () => model.asked > 0, "the call of the model")
    expect((await pause(id)).status).toBe("paused")
    model.held = false
    const run = await until(id, (r) => r.steps["a"]?.status === "complete")
    expect([run.status, run.steps["b"]?.status]).toEqual(["paused", "pending"])
    expect((await ask<{ data: RunView[] }>("GET", "/v1/runs?status=paused")).data.map((r) => r.id)).toEqual([id])
    expect((await resume(id)).status).toBe("running")
    expect((await until(id, ended)).status).toBe("succeeded")
    expect((await pause(id)).status).toBe("succeeded")
  })

  test("[J10] a crash while paused begins nothing; resume repeats what was lost", async () => {
    const model = heldModel(SLOW)
    const id = await start("line")
    await untilIt(async () => model.asked > 0, "the call of the model")
    await pause(id)
    await abortAllDurableObjects()
    expect((await runOf(id)).status).toBe("paused")
    expect((await types(id)).slice(-2)).toEqual(["run.paused", "action.lost"])
    await evictDurableObject(stub(id))
    model.held = false
    await resume(id)
    expect((await until(id, ended)).status).toBe("succeeded")
  })

  test("[H5] [F23] children pause and resume with their parent, even if it crashes in between", async () => {
    const id = await start("parent")
    const { children } = await until(id, (r) => r.children.length > 0)
    const [child = ""] = children
    await until(child, (r) => r.status === "waiting")
    await pause(id)
    await until(child, (r) => r.status === "paused")
    await ask("POST", `/v1/runs/${child}/signals/go`, {})
    expect((await runOf(child)).steps["x"]?.status).toBe("pending")
    await evictDurableObject(stub(id))
    await resume(id)
    await until(child, ended)
    expect((await until(id, ended)).status).toBe("succeeded")
    expect((await eventsOf(child)).find((e) => e.type === "run.paused")).toMatchObject({ reason: "parent" })
  })

  test("[H5] a child that an operator paused stays paused when its parent resumes", async () => {
    const id = await start("parent")
    const { children } = await until(id, (r) => r.children.length > 0)
    const [child = ""] = children
    await until(child, (r) => r.status === "waiting")
    await pause(child)
    await pause(id)
    await resume(id)
    // [J16] It goes on in its child.
    await until(id, (r) => r.status === "running")
    expect((await runOf(child)).status).toBe("paused")
    await ask("POST", `/v1/runs/${id}/cancel`, {})
    await until(child, ended)
  })
})
