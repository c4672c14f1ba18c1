// GET /v1/runs/{run}/steps/{step}/prompt with a real run [J21].

import { beforeAll, describe, expect, test } from "vitest"
import { agent, ask, call, ended, flow, start, until } from "../../support/worker/house.ts"

interface Prompt {
  readonly turn: number
  readonly pass: number
  readonly request: string | null
  readonly layers: readonly { readonly kind: string; readonly source?: string; readonly tokens: number }[]
  readonly tools: readonly { readonly name: string; readonly rule: string }[]
  readonly text?: string
}

const SAID = [{ calls: [{ tool: "write", args: { path: "n.txt", content: "one\n" } }] }, { finish: { status: "complete", summary: "A" } }]
let id = ""
const prompt = (query = ""): Promise<Prompt> => ask<Prompt>("GET", `/v1/runs/${id}/steps/a/prompt${query}`)

beforeAll(async () => {
  await ask("PUT", "/v1/settings/providers/prompted", { kind: "scripted", turns: { a: SAID } })
  await ask("PUT", "/v1/catalog", {
    agents: { "a.md": agent("a", "write").replace("rehearsal/default", "prompted/a") },
    flows: {
      "prompted.yaml": flow("prompted", "  - { id: a, type: agent, agent: a }\n  - { id: w, type: wait, for: 1s, blockedBy: a }\n"),
    },
  })
  id = await start("prompted")
  await until(id, ended)
})

describe("the prompt of a step", () => {
  test("[J21] of the newest turn, and of an earlier one", async () => {
    const [newest, first] = [await prompt(), await prompt("?pass=1&turn=0")]
    expect([newest.turn, first.turn]).toEqual([1, 0])
    expect(newest.layers.map(({ kind }) => kind)).toEqual(["tools", "agent", "rules", "task", "reply", "results"])
    expect(first.layers.map(({ kind }) => kind)).toEqual(["tools", "agent", "rules", "task"])
    expect(newest.layers[1]?.source).toBe("agents/a.md")
    expect(newest.request).not.toBe(first.request)
    expect(newest.tools.map(({ name }) => name).toSorted()).toEqual(["finish", "write"])
    expect(newest.text).toBeUndefined()
    expect((await prompt("?layer=5")).text).toContain("n.txt")
  })

  test("[J21] a step that asked no model, a turn and a pass that were not, and what is no number", async () => {
    for (const place of ["w/prompt", "none/prompt", "a/prompt?turn=9", "a/prompt?pass=2"])
      expect((await call("GET", `/v1/runs/${id}/steps/${place}`)).status, place).toBe(404)
    for (const query of ["turn=x", "pass=0", "layer=-1", "other=1"])
      expect((await call("GET", `/v1/runs/${id}/steps/a/prompt?${query}`)).status, query).toBe(422)
  })
})
