// Two runs compared over HTTP [K17].

import { beforeAll, describe, expect, test } from "vitest"
import type { Comparison } from "../../../../src/api/doc/trust.doc.ts"
import { agent, ask, call, ended, flow, runOf, start, until } from "../../../support/worker/house.ts"

const compare = (a: string, b: string, key?: string): Promise<Comparison> =>
  ask<Comparison>("GET", `/v1/runs/${a}/compare/${b}`, undefined, {}, key)

beforeAll(async () => {
  await ask("PUT", "/v1/catalog", {
    agents: { "a.md": agent("a"), "b.md": agent("b") },
    flows: {
      "f.yaml": flow("f", "  - { id: a, type: agent, agent: a }\n  - { id: b, type: agent, agent: b, blockedBy: a }\n"),
      "g.yaml": flow("g", "  - { id: a, type: agent, agent: a }\n  - { id: x, type: agent, agent: b, blockedBy: a }\n"),
      "w.yaml": flow("w", "  - { id: w, type: wait, signal: go }\n"),
    },
  })
})

const finished = async (name: string): Promise<string> => {
  const id = await start(name, { rehearse: true })
  expect((await until(id, ended)).status).toBe("succeeded")
  return id
}

describe("GET /v1/runs/{a}/compare/{b}", () => {
  test("[K17] a run and itself have all in common", async () => {
    const id = await finished("f")
    const run = await runOf(id)
    const found = await compare(id, id)
    expect([found.common?.seq, found.first, found.output, found.definitions]).toEqual([run.seq, null, [], []])
    expect(found.steps.map(({ step, pass, same }) => [step, pass, same])).toEqual([
      ["a", 1, true],
      ["b", 1, true],
    ])
    expect(found.usage).toEqual({ a: run.usage, b: run.usage })
  })

  test("[K17] what only one has is null in the other, and changed definitions come as a diff to those who may read them", async () => {
    const f = await finished("f")
    await ask("PUT", "/v1/catalog", {
      agents: { "a.md": agent("a"), "b.md": agent("b").replace("Do it.", "Be brief.") },
      flows: {
        "g.yaml": flow("g", "  - { id: a, type: agent, agent: a }\n  - { id: x, type: agent, agent: b, blockedBy: a }\n"),
        "w.yaml": flow("w", "  - { id: w, type: wait, signal: go }\n"),
      },
    })
    const g = await finished("g")
    const found = await compare(f, g)
    expect(found.common).toBeNull()
    expect(found.steps.map(({ step, same, a, b }) => [step, same, a === null, b === null])).toEqual([
      ["a", true, false, false],
      ["b", false, false, true],
      ["x", false, true, false],
    ])
    expect(found.first).toEqual({ step: "b", pass: 1 })
    expect(found.definitions.map(({ path }) => path)).toEqual(["agents/b.md", "flows/f.yaml", "flows/g.yaml"])
    expect(found.definitions[0]?.diff).toMatch(/^-Do it\. .*\n\+Be brief\./m)
    const { key } = await ask<{ key: string }>("POST", "/v1/keys", { scopes: ["runs:read"] })
    expect((await compare(f, g, key)).definitions.map(({ diff }) => diff)).toEqual([null, null, null])
  })

  test("[K17] [H2] a run that does not exist is 404 on either side; one that waits can be compared", async () => {
    const id = await start("w")
    for (const none of [`run_${"0".repeat(26)}`, "nonsense"]) {
      expect((await call("GET", `/v1/runs/${id}/compare/${none}`)).status).toBe(404)
      expect((await call("GET", `/v1/runs/${none}/compare/${id}`)).status).toBe(404)
    }
    expect((await compare(id, id)).first).toBeNull()
  })

  test("[K17] diffs beyond the comparisons of one answer show the text as removed and added", async () => {
    const put = async (version: string): Promise<string> => {
      const lines = Array.from({ length: 600 }, (_, n) => `${version} ${n}\n`).join("")
      const long = Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`s/long${n}.md`, lines]))
      const files = { "s/first.md": `${version}\nkept\n${version}\n`, "s/more.md": `${version}\nkept\n${version}\n`, ...long }
      await ask("PUT", "/v1/catalog", {
        agents: { "a.md": agent("a").replace("tools: write\n", "tools: write\nskills: s\n") },
        skills: { "s/SKILL.md": "---\nname: s\ndescription: a skill\n---\nSKILL BODY\n", ...files },
        flows: { "s.yaml": flow("s", "  - { id: a, type: agent, agent: a }\n") },
      })
      return finished("s")
    }
    const [one, other] = [await put("old"), await put("new")]
    const { definitions } = await compare(one, other)
    const diffOf = (path: string): string => definitions.find((d) => d.path === `skills/s/${path}`)?.diff ?? ""
    expect(diffOf("first.md")).toContain("-old\n+new\n kept\n-old\n+new\n")
    // The long texts are compared first, and leave nothing for this one.
    expect(diffOf("more.md")).toContain("-old\n-kept\n-old\n+new\n+kept\n+new\n")
    expect(diffOf("long5.md").match(/^\+new /gm)).toHaveLength(600)
  })
})
