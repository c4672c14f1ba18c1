// Forks that begin under a changed flow [K7, K13]: what the run was given is checked by that flow, as a start is.

import { beforeAll, expect, test } from "vitest"
import type { RunView } from "../../../../src/core/run/views/view.ts"
import { agent, ask, call, ended, eventsOf, flow, until } from "../../../support/worker/house.ts"

const STEP = "  - { id: a, type: agent, agent: step }\n"
const redefined = (inputs: string, head = ""): string => flow("given", STEP, `${head}inputs:\n  ${inputs}\n`)
const write = (text: string): Promise<unknown> =>
  ask("PUT", "/v1/catalog", { agents: { "step.md": agent("step") }, flows: { "given.yaml": text } })

interface Refused {
  readonly code: string
  readonly errors: readonly { readonly pointer: string; readonly message: string }[]
}
const refusal = async (path: string, body: object): Promise<readonly [number, Refused]> => {
  const r = await call("POST", path, body)
  return [r.status, await r.json<Refused>()]
}

let id = ""

beforeAll(async () => {
  await write(redefined("k: { type: string, default: K }"))
  id = (await ask<{ id: string }>("POST", "/v1/flows/given/runs", { rehearse: true })).id
  await until(id, ended)
})

test("[K7] [H3] `again` under a flow whose inputs the run does not meet is 422, says which, and leaves nothing", async () => {
  await write(redefined("k: { type: number, required: true }\n  who: { type: string, required: true }"))
  const before = await ask<{ data: unknown[] }>("GET", `/v1/runs?fork_of=${id}`)
  const [status, { code, errors }] = await refusal(`/v1/runs/${id}/again`, {})
  expect([status, code]).toEqual([422, "invalid"])
  expect(errors.map(({ pointer }) => pointer)).toEqual(["/inputs/k", "/inputs/who"])
  expect(errors[0]?.message).toMatch(/type number.*patch/)
  expect(await ask("GET", `/v1/runs?fork_of=${id}`)).toEqual(before)
  // A fork may bring what the flow asks for.
  const fork = await ask<{ id: string }>("POST", `/v1/runs/${id}/fork`, {
    patch: { revision: (await ask<{ revision: number }>("GET", "/v1/catalog")).revision, inputs: { k: 5, who: "Ada" } },
    rehearse: true,
  })
  expect((await until(fork.id, ended)).inputs).toEqual({ k: 5, who: "Ada" })
})

test("[K13] a patched flow at the beginning asks for its inputs and its task, where the patch may give them", async () => {
  const definitions = {
    "flows/given.yaml": redefined("k: { type: boolean }\n  n: { type: number, required: true }", "task_required: true\n"),
  }
  const [status, { errors }] = await refusal(`/v1/runs/${id}/fork`, { patch: { definitions } })
  expect(status).toBe(422)
  expect(errors.map(({ pointer }) => pointer)).toEqual(["/patch/inputs/k", "/patch/inputs/n", "/patch/task"])
  const [checked] = await refusal(`/v1/runs/${id}/fork?check=1`, { patch: { definitions } })
  expect(checked).toBe(422)
})

test("[K7] `again` fills in the defaults of inputs that the flow has now, and keeps what the run was given", async () => {
  await write(redefined("k: { type: string, default: other }\n  tone: { type: string, default: calm }"))
  const again = await ask<{ id: string }>("POST", `/v1/runs/${id}/again`, { rehearse: true })
  const run: RunView = await until(again.id, ended)
  expect([run.status, run.inputs]).toEqual(["succeeded", { k: "K", tone: "calm" }])
  expect((await eventsOf(again.id)).find((e) => e.type === "run.forked")).toMatchObject({ inputs: { k: "K", tone: "calm" } })
  expect(await ask("GET", `/v1/runs/${again.id}/replay`)).toMatchObject({ identical: true })
})

test("[K13] under a flow that is not changed, and in the middle of a run, nothing is asked for", async () => {
  await write(redefined("k: { type: number, required: true }"))
  const fork = await ask<{ id: string }>("POST", `/v1/runs/${id}/fork`, { rehearse: true })
  expect((await until(fork.id, ended)).inputs).toEqual({ k: "K" })
})

test("[K12] a finish of a fork has its members beside its outputs, never among them", async () => {
  for (const outputs of [{ status: "error" }, { summary: "s" }, { branch: "b" }, { files: [] }]) {
    const finish = { status: "complete", summary: "mine", outputs }
    const [status, { errors }] = await refusal(`/v1/runs/${id}/fork`, { from: { step: "a" }, instead: { finish } })
    expect([status, errors.map(({ pointer }) => pointer)]).toEqual([422, [`/instead/finish/outputs/${Object.keys(outputs)[0]}`]])
  }
})

test("[K12] [H3] a fault of what stands in place of another is pointed at in the body that was sent", async () => {
  const pointerOf = async (instead: object) =>
    (await refusal(`/v1/runs/${id}/fork`, { from: { step: "a" }, instead }))[1].errors.map(({ pointer }) => pointer)
  expect(await pointerOf({ finish: { status: "complete", summary: "mine", branch: "b" } })).toEqual(["/instead/finish/branch"])
  expect(await pointerOf({ answer: { answer: "yes" } })).toEqual(["/instead"])
})
