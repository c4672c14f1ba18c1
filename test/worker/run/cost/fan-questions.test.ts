// What a fan asks its tenant's object: the same once, however many steps ask it at the same time [N4].

import { expect, test } from "vitest"
import { counted } from "../../../support/worker/counted-calls.ts"
import { tenant, until } from "../../../support/worker/service-client.ts"

const DONE = { finish: { status: "complete", summary: "ok", files: [] } }
const FAN = Array.from({ length: 60 }, (_, i) => `  - { id: s${i}, agent: w, task: part ${i} }\n`).join("")

test("[N4] sixty steps at once ask for their tenant's rules, provider and secrets as one step does", async () => {
  const t = await tenant("fan-questions")
  await t.ask("PUT", "/v1/settings/providers/still", { kind: "scripted", turns: { "*": [DONE] } })
  await t.ask("PUT", "/v1/catalog", {
    agents: { "w.md": "---\nname: w\ndescription: d\nmodel: still/w\n---\nDo it: ${{task}}\n" },
    flows: {
      "one.yaml": "name: one\ndescription: d\nsteps:\n  - { id: s, agent: w }\n",
      "fan.yaml": `name: fan\ndescription: d\nmax_concurrent: 60\nsteps:\n${FAN}`,
    },
  })
  const questionsOf = async (flow: string): Promise<readonly string[]> => {
    // The isolate forgets what it knew of settings that it has just changed.
    await t.ask("PUT", "/v1/settings/providers/still", { kind: "scripted", turns: { "*": [DONE] } })
    await t.ask("PUT", "/v1/secrets/other", { value: "a secret of this tenant" })
    await t.ask("PUT", "/v1/settings/policy", {})
    const { calls } = await counted(t.id, async (seen) => {
      const { status } = await t.ask<{ status: string }>("POST", `/v1/flows/${flow}/runs`, { task: "go" }, { prefer: "wait=60" })
      expect(status).toBe("succeeded")
      await until(async () => seen.calls.includes("tenant runs.note"), "the report of the end")
    })
    return calls.filter((call) => /settings|secrets/.test(call)).toSorted()
  }
  const one = await questionsOf("one")
  expect(one.length).toBeGreaterThan(0)
  expect(await questionsOf("fan")).toEqual(one)
})
