// A model that takes over [F33], from the settings to the journal.

import { beforeAll, describe, expect, test } from "vitest"
import { ask, ended, eventsOf, flow, runOf, until } from "../../support/worker/house.ts"

const busy = { error: { status: 429, message: "come back later", retry_after: 600 } }

beforeAll(async () => {
  await ask("PUT", "/v1/settings/providers/fbone", { kind: "scripted", turns: { "*": [busy] } })
  await ask("PUT", "/v1/settings/providers/fbtwo", {
    kind: "scripted",
    turns: { "*": [{ text: "unused" }, { finish: { status: "complete", summary: "two did it" } }] },
  })
  await ask("PUT", "/v1/settings/roles", { research: ["fbone/m", "fbtwo/n"] })
  const agent = (name: string, model: string): string => `---\nname: ${name}\ndescription: d\nmodel: ${model}\n---\n\${{task}}\n`
  await ask("PUT", "/v1/catalog", {
    agents: {
      "fb-list.md": agent("fb-list", "[fbone/m, fbtwo/n]"),
      "fb-role.md": agent("fb-role", '"@research"'),
      "fb-one.md": agent("fb-one", "fbtwo/n"),
    },
    flows: {
      "fb-list.yaml": flow("fb-list", "  - { id: a, type: agent, agent: fb-list }\n"),
      "fb-role.yaml": flow("fb-role", "  - { id: a, type: agent, agent: fb-role }\n"),
      "fb-step.yaml": flow("fb-step", "  - { id: a, type: agent, agent: fb-one, model: [fbone/m, fbtwo/n] }\n"),
      "fb-parent.yaml": flow("fb-parent", "  - { id: r, type: flow-ref, flow: fb-step }\n"),
    },
  })
})

describe("a model that takes over", () => {
  test.each(["fb-list", "fb-role", "fb-step"])("[F33] %s: the second model answers, and the journal says why", async (name) => {
    const { id } = await ask<{ id: string }>("POST", `/v1/flows/${name}/runs`, { task: "go" })
    expect(await until(id, ended)).toMatchObject({ status: "succeeded" })
    const events = await eventsOf(id)
    expect(events.find((e) => e.type === "model.failed")).toMatchObject({ status: 429, fallback: "fbtwo/n", message: "come back later" })
    expect(events.find((e) => e.type === "model.replied")).toMatchObject({ model: "fbtwo/n" })
    expect((await runOf(id)).pinned).toMatchObject({ fallbacks: expect.anything() })
  })

  test("[F33] a child run has the list of its own step", async () => {
    const { id } = await ask<{ id: string }>("POST", "/v1/flows/fb-parent/runs", { task: "go" })
    expect(await until(id, ended)).toMatchObject({ status: "succeeded" })
  })
})
