// Forks at the edges of what was [K10–K18]: tools and flows that are gone, times, and steps that are never seen running.

import { beforeAll, describe, expect, test } from "vitest"
import type { RunEvent } from "../../../../src/core/run/event.ts"
import type { RunView } from "../../../../src/core/run/views/view.ts"
import { agent, ask, call, ended, eventsOf, flow, until } from "../../../support/worker/house.ts"

const tool = {
  description: "looks something up in a long list that nobody reads to its end",
  parameters: { type: "object", properties: { id: { type: "string" } }, additionalProperties: false },
  request: { method: "GET", url: "https://tools.example/look" },
  effect: "read",
}
const TURNS = {
  user: [{ text: "thinking" }, { finish: { status: "complete", summary: "used" } }],
  step: [{ finish: { status: "complete", summary: "ok" } }],
}

beforeAll(async () => {
  await ask("PUT", "/v1/settings/providers/edge", { kind: "scripted", turns: TURNS })
  await ask("PUT", "/v1/tools/look", tool)
  await ask("PUT", "/v1/catalog", {
    agents: {
      "user.md": agent("user", "look").replace("rehearsal/default", "edge/user"),
      "step.md": agent("step").replace("rehearsal/default", "edge/step"),
    },
    flows: {
      "tooled.yaml": flow("tooled", "  - { id: u, type: agent, agent: user }\n"),
      "gone.yaml": flow("gone", "  - { id: s, type: agent, agent: step }\n"),
      "choice.yaml": flow(
        "choice",
        "  - { id: s, type: agent, agent: step }\n  - { id: c, type: conditional, check: s.summary, present: x, absent: y }\n  - { id: x, type: agent, agent: step, on_complete: z }\n  - { id: y, type: agent, agent: step, on_complete: z }\n  - { id: z, type: agent, agent: step }\n",
      ),
      "child.yaml": flow("child", "  - { id: s, type: agent, agent: step }\n"),
      "mapped.yaml": flow(
        "mapped",
        '  - { id: m, type: map, over: "${{config.list}}", do: child, task: "${{item}}" }\n',
        "config: { list: [1, 2] }\n",
        'outputs: { all: "${{result.m.results}}" }\n',
      ),
    },
  })
})

const begun = async (name: string): Promise<RunView> => {
  const { id } = await ask<{ id: string }>("POST", `/v1/flows/${name}/runs`, { task: "go" })
  return until(id, ended)
}
const forked = async (id: string, body: object): Promise<RunView> => {
  const fork = await ask<{ id: string }>("POST", `/v1/runs/${id}/fork`, body)
  return until(fork.id, ended)
}
const replayed = (id: string) => ask("GET", `/v1/runs/${id}/replay`)

describe("a fork at the edges", () => {
  test("[K18] the replay of a fork whose tool was deleted is identical", async () => {
    const source = await begun("tooled")
    const events: RunEvent[] = await eventsOf(source.id)
    const cut = events.find((e) => e.type === "action.begun")?.seq
    expect((await call("DELETE", "/v1/tools/look")).status).toBe(204)
    const fork = await forked(source.id, { from: { seq: cut }, effects: "live" })
    expect(fork.status).toBe("succeeded")
    expect(await replayed(fork.id)).toMatchObject({ identical: true })
    await ask("PUT", "/v1/tools/look", tool)
  })

  test("[K13] a patch without the run's own flow is 422 and says where, and so is `again` once the flow is gone", async () => {
    const source = await begun("gone")
    const asked = async (route: string, body: object) => {
      const r = await call("POST", `/v1/runs/${source.id}/${route}`, body)
      return [r.status, (await r.json<{ errors?: { pointer: string }[] }>()).errors?.map(({ pointer }) => pointer)]
    }
    expect(await asked("fork", { patch: { definitions: { "flows/gone.yaml": null } } })).toEqual([
      422,
      ["/patch/definitions/flows~1gone.yaml"],
    ])
    expect(await asked("fork", { patch: { revision: 0 } })).toEqual([422, ["/patch/revision"]])
    expect((await call("DELETE", "/v1/flows/gone")).ok).toBe(true)
    expect(await asked("again", {})).toEqual([422, [""]])
    const fork = await forked(source.id, {})
    expect(fork.status).toBe("succeeded")
  })

  test("[K12] a conditional takes another branch, though it opens and ends at once", async () => {
    const source = await begun("choice")
    expect([source.steps["x"]?.status, source.steps["y"]?.status]).toEqual(["complete", "skipped"])
    const finish = { status: "complete", summary: "not there", branch: "absent" }
    const fork = await forked(source.id, { from: { step: "c" }, instead: { finish } })
    expect([fork.status, fork.steps["c"]?.branch, fork.steps["x"]?.status, fork.steps["y"]?.status]).toEqual([
      "succeeded",
      "absent",
      "skipped",
      "complete",
    ])
    expect(await replayed(fork.id)).toMatchObject({ identical: true })
    const wrong = await call("POST", `/v1/runs/${source.id}/fork`, { from: { step: "c" }, instead: { finish: { ...finish, branch: "x" } } })
    expect([wrong.status, (await wrong.json<{ errors: { pointer: string }[] }>()).errors.map(({ pointer }) => pointer)]).toEqual([
      422,
      ["/instead/finish/branch"],
    ])
  })

  test("[K17] a map whose children did the same is the same: their ids are not compared", async () => {
    const [one, other] = [await begun("mapped"), await begun("mapped")]
    expect(await ask("GET", `/v1/runs/${one.id}/compare/${other.id}`)).toMatchObject({
      first: null,
      output: [],
      steps: [{ step: "m", same: true }],
    })
  })
})
