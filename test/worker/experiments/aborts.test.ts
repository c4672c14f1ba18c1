// Experiments whose tenant's object dies while it drives them [V38]: each trial is made once, and all of them come to an end.

import { abortAllDurableObjects, runDurableObjectAlarm } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { expect, test } from "vitest"
import type { ExperimentRowShown, ExperimentShown } from "../../../src/api/doc/experiments.doc.ts"
import { agent, ask, ended, flow, start, until } from "../../support/worker/house.ts"

test("[V38] an object that dies in the middle repeats no trial and loses none", async () => {
  await ask("PUT", "/v1/settings/providers/abort", {
    kind: "scripted",
    turns: { "*": [{ finish: { status: "complete", summary: "Done." } }] },
  })
  const file = (text: string): string => agent("dier").replace("rehearsal/default", "abort/m").replace("Do it.", text)
  const write = (text: string) =>
    ask("PUT", "/v1/catalog", {
      agents: { "dier.md": file(text) },
      flows: { "die.yaml": flow("die", "  - { id: work, agent: dier }\n") },
      scorers: { "fine.yaml": "name: fine\ndescription: It succeeds.\nexpect: { status: succeeded }\n" },
    })
  await write("Do it.")
  const runs: string[] = []
  for (let i = 0; i < 8; i++) runs.push(await start("die", { task: `go ${i}` }))
  for (const id of runs) await until(id, ended)
  const variants = [{ name: "now" }, { name: "other", definitions: { "agents/dier.md": file("Do it well.") } }]
  const { id } = await ask<{ id: string }>("POST", "/v1/experiments", {
    flow: "die",
    dataset: { runs },
    scorers: ["fine"],
    variants,
    repeats: 2,
  })
  let seen: ExperimentShown | undefined
  for (let i = 0; i < 200 && seen?.status !== "done"; i++) {
    if (i < 4) await abortAllDurableObjects()
    else await runDurableObjectAlarm(env.TENANT.get(env.TENANT.idFromName("local"))).catch(() => undefined)
    await new Promise((r) => setTimeout(r, i < 4 ? 120 : 100))
    seen = await ask<ExperimentShown>("GET", `/v1/experiments/${id}`).catch(() => undefined)
  }
  expect(seen).toMatchObject({ status: "done", left_out: [] })
  expect(seen?.variants).toMatchObject([
    { trials: 16, stopped: 0, scores: { fine: { n: 8, mean: 1 } } },
    { trials: 16, stopped: 0, scores: { fine: { n: 8, mean: 1 } } },
  ])
  const { data } = await ask<{ data: ExperimentRowShown[] }>("GET", `/v1/experiments/${id}/rows?limit=100`)
  const trials = data.flatMap((row) => row.trials.map(({ run }) => run ?? ""))
  expect(new Set(trials).size).toBe(32)
  const listed = await ask<{ data: { id: string }[] }>("GET", "/v1/runs?trigger=experiment&flow=die&limit=200")
  expect(listed.data.map((row) => row.id).toSorted()).toEqual(trials.toSorted())
  for (const trial of trials) {
    const { scores } = await ask<{ scores: unknown[] }>("GET", `/v1/runs/${trial}/scores`)
    expect(scores).toHaveLength(1)
  }
}, 90_000)
