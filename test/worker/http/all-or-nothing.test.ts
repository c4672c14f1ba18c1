// Several answers in one request [P20, P15, P28]: all of them are given, or none, also when only the run itself can tell that one does not fit.

import { beforeAll, describe, expect, test } from "vitest"
import { tenant, type Tenant } from "../../support/worker/service-client.ts"

type Loose = Readonly<Record<string, unknown>>

let t: Tenant
let n = 0
const fresh = (): string => `n${n++}`

beforeAll(async () => {
  t = await tenant("allornothing")
  const write = (path: string) => ({ tool: "write", args: { path, content: "hi" } })
  const done = { finish: { status: "complete", summary: "written" } }
  await t.ask("PUT", "/v1/settings/providers/sc", {
    kind: "scripted",
    turns: { writer: [{ calls: [write("a.txt"), write("b.txt")] }, done], single: [{ calls: [write("c.txt")] }, done] },
  })
  const agent = (name: string): string =>
    `---\nname: ${name}\ndescription: d\nmodel: sc/${name}\ntools: write\ntool_approvals: { write: always }\n---\n` + "Do it. ${{task}}\n"
  const flow = (name: string, step: string): string => `name: ${name}\ndescription: d\nautonomous: false\nsteps:\n${step}`
  await t.ask("PUT", "/v1/catalog", {
    agents: { "writer.md": agent("writer"), "single.md": agent("single") },
    flows: {
      "writer.yaml": flow("writer", "  - { id: a, type: agent, agent: writer }\n"),
      "single.yaml": flow("single", "  - { id: a, type: agent, agent: single }\n"),
      "pair.yaml": `name: pair
description: d
autonomous: false
inputs: { items: { type: array, default: [x, y] } }
steps:
  - { id: m, type: map, over: "\${{flow.input.items}}", do: single, task: "\${{item}}" }
`,
    },
  })
})

async function agui(flow: string, threadId: string, more: object): Promise<Loose> {
  const input = { threadId, runId: fresh(), state: {}, tools: [], context: [], forwardedProps: {}, messages: [], ...more }
  const text = await (await t.raw("POST", `/v1/flows/${flow}/agui`, input)).text()
  const frames = text.split("\n").flatMap((line) => (line.startsWith("data: {") ? [JSON.parse(line.slice(6)) as Loose] : []))
  return frames.at(-1) ?? {}
}
const interruptsOf = (end: Loose): { id: string }[] =>
  ((end["outcome"] as Loose | undefined)?.["interrupts"] as { id: string }[] | undefined) ?? []
const pendingOf = async (ids: readonly string[]): Promise<string[]> =>
  Promise.all(
    ids.map(async (id) => {
      const [run, inner] = id.split(".")
      return String((await t.ask<Loose>("GET", `/v1/runs/${run}/interactions/${inner}`))["status"])
    }),
  )
const edited = (path: unknown) => ({ approved: true, editedArgs: { path, content: "hi" } })

describe("several answers at once", () => {
  test.each(["writer", "pair"])(
    "[P20] %s: two edited approvals, the second of which the tool does not take: both stay open",
    async (flow) => {
      const threadId = fresh()
      const first = await agui(flow, threadId, { messages: [{ id: "m", role: "user", content: "go" }] })
      const ids = interruptsOf(first).map(({ id }) => id)
      expect(ids).toHaveLength(2)
      for (const paths of [
        ["x.txt", {}],
        [{}, "x.txt"],
        ["x.txt", "../../etc/passwd"],
      ] as const) {
        const resume = ids.map((id, i) => ({ interruptId: id, status: "resolved", payload: edited(paths[i]) }))
        expect(await agui(flow, threadId, { resume })).toMatchObject({ type: "RUN_ERROR", code: "invalid_payload" })
        expect(await pendingOf(ids)).toEqual(["pending", "pending"])
      }
      const resume = ids.map((id, i) => ({ interruptId: id, status: "resolved", payload: edited(`y${i}.txt`) }))
      expect(await agui(flow, threadId, { resume })).toMatchObject({ type: "RUN_FINISHED", outcome: { type: "success" } })
    },
  )

  test("[P15] A2A: two data parts, of which the run does not take the second", async () => {
    const send = (more: object) =>
      t.raw("POST", "/a2a/writer/message:send", { message: { messageId: fresh(), role: "ROLE_USER", ...more } }, { "a2a-version": "1.0" })
    const { task } = (await (await send({ parts: [{ text: "go" }] })).json()) as { task: { id: string } }
    const ids = (await t.ask<{ data: { id: string }[] }>("GET", `/v1/runs/${task.id}/interactions`)).data.map(
      ({ id }) => `${task.id}.${id}`,
    )
    const part = (interaction: string | undefined, path: unknown) => ({
      data: { interaction, decision: "edit", args: { path, content: "hi" } },
    })
    const refused = await send({ taskId: task.id, parts: [part(ids[0], "x.txt"), part(ids[1], {})] })
    expect(refused.status, await refused.text()).toBe(400)
    expect(await pendingOf(ids)).toEqual(["pending", "pending"])
    const taken = await send({ taskId: task.id, parts: [part(ids[0], "x.txt"), part(ids[1], "y.txt")] })
    expect(await taken.json()).toMatchObject({ task: { status: { state: "TASK_STATE_COMPLETED" } } })
  })
})
