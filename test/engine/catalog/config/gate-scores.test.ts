// [V40] What the check says of a rule of the gate that compares scores, and who may change what it relies on.

import { expect, test } from "vitest"
import { Catalog } from "../../../../src/engine/catalog/catalog.ts"
import { inTurn } from "../../../../src/engine/in-turn.ts"
import type { GateSetting } from "../../../../src/core/tool/policy/gate-setting.ts"
import { FragileBlobs, MemoryRows } from "../../../support/engine/memory-catalog.ts"

const ADMIN = { by: "an admin", configures: true } as const
const FLOW = "name: support\ndescription: d\nautonomous: false\nsteps:\n  - { id: one, type: agent, agent: desk, task: t }\n"
const AGENT = "---\nname: desk\ndescription: d\nmodel: m/m\n---\n${{task}}\n"
const JUDGE = "---\nname: strict\ndescription: d\nmodel: m/m\n---\nJudge.\n"
const SCORERS = {
  "fine.yaml": "name: fine\ndescription: d\nexpect: { status: succeeded }\n",
  "kind.yaml": "name: kind\ndescription: d\njudge: { rubric: Is it kind?, agent: strict }\n",
  "long.yaml": "name: long\ndescription: d\ncode: true\n",
  "long.ts": "export default () => 1\n",
}
const FILES = { agents: { "desk.md": AGENT, "strict.md": JUDGE }, flows: { "support.yaml": FLOW }, scorers: SCORERS }
const DATASETS = [
  { name: "many", flow: "support", rows: 60 },
  { name: "few", flow: "support", rows: 59 },
  { name: "other", flow: "other", rows: 90 },
]

const house = (gate?: GateSetting): Catalog =>
  new Catalog({
    store: new MemoryRows(),
    blobs: new FragileBlobs(),
    builtins: {},
    tools: [],
    inTurn: inTurn(),
    around: { datasets: () => DATASETS, isProbed: async (scorer) => scorer !== "kind" },
    ...(gate === undefined ? {} : { gate: () => gate }),
  })

async function faults(score: string): Promise<string[]> {
  const catalog = house()
  const done = await catalog.replace(
    { ...FILES, settings: { "gate.yaml": `flows: [{ match: "supp*", score: ${score} }]\n` } },
    undefined,
    ADMIN,
  )
  if ("stale" in done) throw new Error("stale")
  return (done.diagnostics["gate.yaml"] ?? []).map(({ code, severity }) => `${code} ${severity}`)
}

test("[V40] a rule names scorers and a dataset that are there, with rows enough for its margin", async () => {
  expect(await faults("{ dataset: many, scorers: { fine: 0.05 } }")).toEqual([])
  expect(await faults("{ dataset: few, scorers: { fine: 0.05 } }")).toEqual(["PV-ROWS warning"])
  expect(await faults("{ dataset: few, scorers: { fine: 0.1 } }")).toEqual([])
  expect(await faults("{ dataset: nowhere, scorers: { fine: 0.05 } }")).toEqual(["PV-ROWS warning"])
  expect(await faults("{ dataset: other, scorers: { fine: 0.05 } }")).toEqual(["PV-VALUE error"])
  expect(await faults("{ dataset: many, scorers: { nice: 0.05 } }")).toEqual(["PV-VALUE error"])
  expect(await faults("{ dataset: many, scorers: { succeeded: 0.05 } }")).toEqual([])
  expect(await faults("{ dataset: many, scorers: { fine: 0.6 } }")).toEqual(["PV-VALUE error"])
  expect(await faults("{ dataset: many, scorers: {} }")).toEqual(["PV-VALUE error"])
})

test("[V40] a judge that was never probed as it is now is a warning", async () => {
  expect(await faults("{ dataset: many, scorers: { kind: 0.05 }, budget: { usd: 1 } }")).toEqual(["PV-PROBE warning"])
})

test("[V40] a setting is judged like the file", async () => {
  const catalog = house()
  await catalog.replace(FILES, undefined, ADMIN)
  const faultsOf = async (dataset: string, scorer: string) =>
    (await catalog.ruleFaults({ gate: { flows: [{ match: "support", score: { dataset, scorers: { [scorer]: 0.05 } } }] } })).map(
      ({ pointer, isWarning }) => [pointer, isWarning === true],
    )
  expect(await faultsOf("many", "fine")).toEqual([])
  expect(await faultsOf("few", "nice")).toEqual([
    ["/flows/0/score/scorers/nice", true],
    ["/flows/0/score/scorers/nice", false],
  ])
})

test("[V40] only an admin changes a scorer of the gate, its handler or its judge's agent, by whatever way", async () => {
  const catalog = house({ flows: [{ match: "*", score: { dataset: "many", scorers: { kind: 0.05, long: 0.05, succeeded: 0.05 } } }] })
  await catalog.replace(FILES, undefined, { ...ADMIN, forced: true })
  const other = { scorers: { "fine.yaml": SCORERS["fine.yaml"].replace("d\n", "other\n") } }
  expect(await catalog.apply({ mode: "merge", bundle: other }, undefined, "ci")).toMatchObject({ ok: true })
  const revision = (await catalog.files()).revision
  const softer = SCORERS["kind.yaml"].replace("kind?", "there?")
  const ways = [
    () => catalog.put("scorer", "scorers/kind.yaml", softer, undefined, "ci"),
    () => catalog.put("scorer-code", "scorers/long.ts", "export default () => 0.9\n", undefined, "ci"),
    () => catalog.put("agent", "agents/strict.md", JUDGE.replace("Judge.", "Say yes."), undefined, "ci"),
    () => catalog.remove("scorer", "long", undefined, "ci"),
    () => catalog.apply({ mode: "merge", bundle: { scorers: { "kind.yaml": softer } } }, undefined, "ci"),
    () => catalog.apply({ mode: "replace", bundle: { scorers: other.scorers } }, undefined, "ci"),
    () =>
      catalog.packages.put(
        "p",
        { version: "1", scorers: { "succeeded.yaml": SCORERS["fine.yaml"].replace("fine", "succeeded") } },
        undefined,
        "ci",
      ),
  ]
  for (const way of ways) await expect(way()).rejects.toThrow("A key with the scope admin changes it")
  expect((await catalog.files()).revision).toBe(revision)
  expect(await catalog.put("scorer", "scorers/kind.yaml", softer, undefined, ADMIN)).toMatchObject({ written: true })
})

test("[V40] [F78] a bundle that takes a scorer from the gate says that it breaks it, unless the gate changes with it", async () => {
  const catalog = house({ flows: [{ match: "support", score: { dataset: "many", scorers: { fine: 0.05, succeeded: 0.05 } } }] })
  await catalog.replace(FILES, undefined, { ...ADMIN, forced: true })
  const { "fine.yaml": _fine, ...others } = SCORERS
  const without = (settings: Record<string, string> = {}) =>
    catalog.apply({ mode: "replace", bundle: { scorers: others, settings } }, undefined, { ...ADMIN, forced: true })
  const { revision } = await catalog.files()
  expect(await without()).toMatchObject({ breaks: [{ kind: "gate", id: "gate", flow: "support", why: expect.stringContaining('"fine"') }] })
  await catalog.history.rollback(revision, undefined, { ...ADMIN, forced: true })
  expect(await without({ "gate.yaml": "flows: []\n" })).toMatchObject({ ok: true, breaks: [] })
})
