// The gate on scores over HTTP [V40–V42]: what passes, what is refused with figures, what waits, and who may change what the gate relies on.

import { SELF } from "cloudflare:test"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import type { ExperimentShown } from "../../../src/api/doc/experiments.doc.ts"
import type { GateReport } from "../../../src/ports/tenant/authoring/gate.ts"
import { agent, ask, call, flow, LOCAL } from "../../support/worker/house.ts"

const worker = (text = "Do it.", model = "gated/good"): string =>
  agent("keeper").replace("rehearsal/default", model).replace("Do it.", text)
const KEPT = flow("kept", "  - { id: work, agent: keeper }\n")
const SCORERS = {
  "fine.yaml": "name: fine\ndescription: It succeeds.\nexpect: { status: succeeded }\n",
  "kind.yaml": "name: kind\ndescription: It is kind.\njudge: { rubric: Is it kind?, model: rehearsal/default }\n",
}
const RULE = { match: "kept", tests: false, score: { dataset: "regress", scorers: { fine: 0.5 } } }
const ROWS = 10

/** What a refused write says. */
interface Refused {
  readonly code: string
  readonly detail: string
  readonly report?: GateReport
  readonly experiment?: string
  readonly flows?: readonly string[]
}

/** Sends it until the gate has decided. */
async function written(method: string, path: string, body?: unknown, key = LOCAL): Promise<{ status: number; body: Refused }> {
  for (let i = 0; i < 30; i++) {
    const answer = typeof body === "string" ? await text(method, path, body, key) : await call(method, path, body, {}, key)
    const said = answer.status === 204 ? ({ code: "", detail: "" } as Refused) : ((await answer.json()) as Refused)
    if (said.code !== "gate_pending") return { status: answer.status, body: said }
    expect(answer.headers.get("retry-after")).toBe("5")
  }
  throw new Error("the gate does not decide")
}
const text = (method: string, path: string, body: string, key = LOCAL): Promise<Response> =>
  SELF.fetch(`http://sluice${path}`, { method, headers: { authorization: `Bearer ${key}`, "content-type": "text/plain" }, body })

const experiments = async (): Promise<readonly ExperimentShown[]> => (await ask<{ data: ExperimentShown[] }>("GET", "/v1/experiments")).data
const revision = async (): Promise<number> => (await ask<{ revision: number }>("GET", "/v1/catalog")).revision

async function over(id: string): Promise<ExperimentShown> {
  for (let i = 0; i < 1_200; i++) {
    const seen = await ask<ExperimentShown>("GET", `/v1/experiments/${id}`)
    if (seen.status !== "running") return seen
    await new Promise((r) => setTimeout(r, 25))
  }
  throw new Error(`${id} does not end`)
}

let key = ""
// Other files of this worker write the same catalog.
afterAll(async () => void (await ask("PUT", "/v1/settings/gate", { flows: [] })))
beforeAll(async () => {
  const finish = (status: string) => [{ finish: { status, summary: "Done." } }]
  await ask("PUT", "/v1/settings/providers/gated", { kind: "scripted", turns: { good: finish("complete"), bad: finish("failed") } })
  await ask("PUT", "/v1/settings/providers/spare", { kind: "scripted", turns: { good: finish("complete") } })
  await ask("PUT", "/v1/catalog", { agents: { "keeper.md": worker() }, flows: { "kept.yaml": KEPT }, scorers: SCORERS })
  await ask("PUT", "/v1/datasets/regress", { flow: "kept" })
  await ask("POST", "/v1/datasets/regress/rows", { rows: Array.from({ length: ROWS }, (_, i) => ({ task: `row ${i}` })) })
  const scopes = ["catalog:write", "catalog:read", "runs:read", "runs:write"]
  key = (await ask<{ key: string }>("POST", "/v1/keys", { name: "writer", scopes })).key
}, 180_000)

beforeEach(async () => {
  await ask("PUT", "/v1/settings/gate", { flows: [] })
  await ask("PUT", "/v1/catalog", { agents: { "keeper.md": worker() }, flows: { "kept.yaml": KEPT }, scorers: SCORERS })
  await ask("PUT", "/v1/settings/roles", {})
  await ask("PUT", "/v1/settings/gate", { flows: [RULE] })
})

test("[V41] [V42] what changes nothing of a run passes at once, and no experiment begins", async () => {
  const count = (await experiments()).length
  expect((await text("PUT", "/v1/flows/kept", `# A comment.\n${KEPT}`, key)).status).toBe(200)
  expect(await experiments()).toHaveLength(count)
}, 180_000)

test("[V42] a write begins an experiment, waits, and is written by what it has shown; the same later finds it", async () => {
  const count = (await experiments()).length
  expect((await written("PUT", "/v1/agents/keeper", worker("Do it once."), key)).status).toBe(200)
  const [first, ...others] = await experiments()
  expect(others).toHaveLength(count)
  expect(first).toMatchObject({ name: "gate: kept", flow: "kept", dataset: "regress", status: "done", rows: ROWS, scorers: ["fine"] })
  expect(first?.compared?.[0]?.scores["fine"]).toMatchObject({ n: ROWS, difference: 0 })
  // Back, and once more: the evidence is there.
  await ask("PUT", "/v1/catalog?force=1", { agents: { "keeper.md": worker() } })
  expect((await text("PUT", "/v1/agents/keeper", worker("Do it once."), key)).status).toBe(200)
  expect(await experiments()).toHaveLength(count + 1)
}, 180_000)

test("[V41] a worse write is 409 with its figures and with what it would need, and nothing is written", async () => {
  const before = await revision()
  const { status, body } = await written("PUT", "/v1/agents/keeper", worker("Do it.", "gated/bad"), key)
  expect([status, body.code, await revision()]).toEqual([409, "gate_failed", before])
  expect(body.report?.flows).toMatchObject([
    {
      flow: "kept",
      score: {
        decision: "worse",
        dataset: "regress",
        rows: ROWS,
        same: 0,
        scorers: { fine: { decision: "worse", difference: -1, n: ROWS } },
      },
    },
  ])
  expect(body.report?.flows[0]?.score?.needs).toBeGreaterThanOrEqual(6)
  expect(body.detail).toContain("fine -100 points")
  expect((await call("PATCH", "/v1/catalog?force=1", { agents: { "keeper.md": worker("Do it.", "gated/bad") } }, {}, key)).status).toBe(403)
  expect((await call("PATCH", "/v1/catalog?force=1", { agents: { "keeper.md": worker("Do it.", "gated/bad") } })).status).toBe(200)
}, 180_000)

test("[V42] a plan begins none and names what is pending; an experiment on a draft is evidence for its apply", async () => {
  const bundle = { agents: { "keeper.md": worker("Do it as drafted.") } }
  const count = (await experiments()).length
  const plan = await ask<{ gate: object }>("POST", "/v1/catalog/plan", { mode: "merge", ...bundle })
  expect(plan.gate).toMatchObject({ passed: true, pending: ["kept"], reached: ["kept"] })
  expect(await experiments()).toHaveLength(count)
  await ask("PUT", "/v1/catalog/drafts/better", { mode: "merge", ...bundle })
  const { id } = await ask<{ id: string }>(
    "POST",
    "/v1/experiments",
    { flow: "kept", dataset: "regress", scorers: ["fine", "succeeded"], variants: [{ name: "now" }, { name: "then", draft: "better" }] },
    {},
    key,
  )
  expect(await over(id)).toMatchObject({ status: "done" })
  const planned = await ask<{ gate: object }>("POST", "/v1/catalog/plan", { mode: "merge", ...bundle })
  expect(planned.gate).toEqual({ passed: true, reached: ["kept"], report: { flows: [] } })
  expect((await call("PATCH", "/v1/catalog", bundle, {}, key)).status).toBe(200)
  expect(await experiments()).toHaveLength(count + 1)
  // [V38] What the gate may rest on is deleted by an admin alone.
  expect((await call("DELETE", `/v1/experiments/${id}`, undefined, {}, key)).status).toBe(403)
  expect((await call("DELETE", `/v1/experiments/${id}`)).status).toBe(204)
}, 180_000)

test("[V42] stopped and deleted experiments are tries: what passes the first time is undecided after many", async () => {
  await ask("PUT", "/v1/catalog?force=1", { agents: { "keeper.md": worker("Do it, as nobody has tried.") } })
  await ask("PUT", "/v1/settings/gate", { flows: [{ ...RULE, score: { dataset: "regress", scorers: { fine: 0.3 } } }] })
  const tried = worker("Do it, tried.")
  const definitions = { "agents/keeper.md": tried }
  const variants = [{ name: "now" }, { name: "other", definitions }]
  const { id } = await ask<{ id: string }>("POST", "/v1/experiments", { flow: "kept", dataset: "regress", scorers: ["fine"], variants })
  await over(id)
  const plan = async () =>
    (
      await ask<{ gate: { passed: boolean; report: GateReport } }>("POST", "/v1/catalog/plan", {
        mode: "merge",
        agents: { "keeper.md": tried },
      })
    ).gate
  expect((await plan()).passed).toBe(true)
  for (let i = 0; i < 4; i++) {
    const again = await ask<{ id: string }>("POST", "/v1/experiments", {
      flow: "kept",
      dataset: "regress",
      scorers: ["fine"],
      variants: [{ name: "now" }, { name: "other", definitions: { "agents/keeper.md": worker(`Do it, try ${i}.`) } }],
    })
    await ask("POST", `/v1/experiments/${again.id}/stop`)
    expect((await call("DELETE", `/v1/experiments/${again.id}`, undefined, {}, key)).status).toBe(204)
  }
  const { passed, report } = await plan()
  expect(passed).toBe(false)
  expect(report.flows[0]?.score).toMatchObject({ decision: "undecided", scorers: { fine: { difference: 0, margin: 0.3 } } })
  expect(report.flows[0]?.score?.tries).toBeGreaterThanOrEqual(5)
}, 180_000)

test("[V40] roles and the removal of a provider are judged like files; an admin may force them", async () => {
  await ask("PUT", "/v1/settings/gate", { flows: [] })
  await ask("PUT", "/v1/settings/roles", { fast: "gated/good" })
  await ask("PUT", "/v1/catalog", { agents: { "keeper.md": worker("Do it.", "'@fast'") } })
  await ask("PUT", "/v1/settings/gate", { flows: [RULE] })
  const { status, body } = await written("PUT", "/v1/settings/roles", { fast: "gated/bad" })
  expect([status, body.code]).toEqual([409, "gate_failed"])
  expect(body.report?.flows).toMatchObject([{ flow: "kept", score: { decision: "worse" } }])
  expect(await ask("GET", "/v1/settings/roles")).toEqual({ fast: "gated/good" })
  expect((await call("PUT", "/v1/settings/roles", { fast: "gated/good", planning: "gated/bad" })).status).toBe(200)
  const file = await written("PATCH", "/v1/catalog", { settings: { "roles.yaml": "fast: gated/bad\n" } })
  expect([file.status, file.body.code]).toEqual([409, "gate_failed"])
  expect((await call("PUT", "/v1/settings/roles?force=1", { fast: "gated/bad" })).status).toBe(200)
  expect((await call("DELETE", "/v1/settings/providers/spare")).status).toBe(204)
  await ask("PUT", "/v1/settings/providers/spare", { kind: "scripted", turns: { good: [] } })
}, 180_000)

test("[V41] a provider that the flow needs, and the flow itself, are not removed without force", async () => {
  await ask("PUT", "/v1/settings/roles?force=1", { fast: "spare/good" })
  await ask("PUT", "/v1/catalog?force=1", { agents: { "keeper.md": worker("Do it.", "'@fast'") } })
  await ask("PUT", "/v1/settings/roles?force=1", { fast: ["spare/good", "gated/good"] })
  const gone = await written("DELETE", "/v1/flows/kept", undefined, key)
  expect([gone.status, gone.body.code]).toEqual([409, "gate_failed"])
  expect(gone.body.report?.flows).toMatchObject([{ flow: "kept", score: { decision: "undecided" } }])
  await ask("PUT", "/v1/settings/gate", { flows: [{ ...RULE, match: "*", score: { ...RULE.score } }] })
  expect((await text("PUT", "/v1/flows/fresh", flow("fresh", "  - { id: work, agent: keeper }\n"), key)).status).toBe(200)
}, 180_000)

test("[V40] what the gate relies on is changed by an admin alone, and nothing of it is deleted", async () => {
  await ask("PUT", "/v1/settings/gate", { flows: [{ ...RULE, score: { ...RULE.score, scorers: { fine: 0.5, kind: 0.5 } } }] })
  const before = await ask<{ hash: string }>("GET", "/v1/datasets/regress")
  const rows = (await ask<{ data: { id: string }[] }>("GET", "/v1/datasets/regress/rows")).data
  const refused = [
    call("POST", "/v1/datasets/regress/rows", { rows: [{ task: "another" }] }, {}, key),
    call("POST", "/v1/datasets/regress/rows", { from: { last: 5, feedback: "up" } }, {}, key),
    call("DELETE", `/v1/datasets/regress/rows/${rows[0]?.id}`, undefined, {}, key),
    call("PUT", "/v1/datasets/regress", { flow: "kept", description: "mine" }, {}, key),
    text("PUT", "/v1/scorers/fine", SCORERS["fine.yaml"].replace("It succeeds", "Always"), key),
    call("PATCH", "/v1/catalog", { scorers: { "kind.yaml": SCORERS["kind.yaml"].replace("kind?", "there?") } }, {}, key),
    text("PUT", "/v1/agents/score-judge", agent("score-judge", "[]"), key),
  ]
  expect((await Promise.all(refused)).map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 403, 403])
  expect(await ask("GET", "/v1/datasets/regress")).toEqual(before)
  for (const path of ["/v1/datasets/regress", "/v1/scorers/fine"]) {
    const answer = await call("DELETE", path)
    expect([answer.status, await answer.json()]).toMatchObject([409, { code: "in_use", used_by: [{ kind: "gate" }] }])
  }
  expect((await call("PUT", "/v1/datasets/other", { flow: "kept" }, {}, key)).status).toBe(200)
}, 180_000)

test("[V40] the budget of a rule bounds its experiments of a day", async () => {
  await ask("PUT", "/v1/settings/gate", { flows: [{ ...RULE, score: { ...RULE.score, budget: { tokens: 0 } } }] })
  const { status, body } = await written("PUT", "/v1/agents/keeper", worker("Do it for nothing."), key)
  expect([status, body.code]).toEqual([409, "gate_failed"])
  expect(body.report?.flows[0]?.score).toMatchObject({ decision: "undecided", why: expect.stringContaining("budget of the day") })
}, 180_000)

test("[V42] with five under way a write stays pending, and its experiment has the next free place", async () => {
  const held = Array.from({ length: 5 }, async (_, i) =>
    ask<{ id: string }>("POST", "/v1/experiments", {
      flow: "kept",
      dataset: "regress",
      scorers: ["kind"],
      repeats: 10,
      variants: [{ name: "now" }, { name: "other", definitions: { "agents/keeper.md": worker(`Do it slowly, ${i}.`) } }],
    }),
  )
  const five = (await Promise.all(held)).map(({ id }) => id)
  const write = text("PUT", "/v1/agents/keeper", worker("Do it next."), key)
  await expect.poll(async () => (await experiments())[0]?.name).toBe("gate: kept")
  const [own] = await experiments()
  expect((await ask<{ data: unknown[] }>("GET", `/v1/experiments/${own?.id}/rows`)).data).toHaveLength(ROWS)
  const sixth = await call("POST", "/v1/experiments", { flow: "kept", dataset: "regress", scorers: ["fine"], variants: [{ name: "now" }] })
  expect(sixth.status).toBe(429)
  for (const id of five) await ask("POST", `/v1/experiments/${id}/stop`)
  const first = await write
  expect([200, 409]).toContain(first.status)
  if (first.status === 409) expect(await first.json()).toMatchObject({ code: "gate_pending", experiment: own?.id, flows: ["kept"] })
  expect((await written("PUT", "/v1/agents/keeper", worker("Do it next."), key)).status).toBe(200)
  expect(await over(own?.id ?? "")).toMatchObject({ status: "done" })
}, 180_000)
