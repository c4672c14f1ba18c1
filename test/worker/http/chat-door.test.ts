// A flow as a model behind Chat Completions [P25, P26]: questions that stay open are asked again.

import { beforeAll, describe, expect, test } from "vitest"
import { tenant, type Tenant } from "../../support/worker/service-client.ts"

interface ToolCall {
  readonly id: string
  readonly function: { readonly name: string; readonly arguments: string }
}
interface Completion {
  readonly choices: readonly [
    { readonly finish_reason: string; readonly message: { readonly content: string | null; readonly tool_calls?: ToolCall[] } },
  ]
  readonly sluice: { readonly run: string; readonly status: string }
}

let t: Tenant
const question = (text: string) => ({ tool: "ask_user", args: { question: text, type: "select", options: ["red", "blue"] } })
const agent = (name: string): string =>
  `---\nname: ${name}\ndescription: d\nmodel: sc/${name}\ntools: ask_user, read\n---\n` + "Do it. ${{task}}\n"
const flow = (name: string, steps: string): string => `name: ${name}\ndescription: d\nautonomous: false\nsteps:\n${steps}`
const alone = (name: string): string => flow(name, `  - { id: a, type: agent, agent: ${name} }\n`)

beforeAll(async () => {
  t = await tenant("chatdoor")
  const done = { finish: { status: "complete", summary: "done" } }
  const asker = [{ calls: [question("Which?")] }, done]
  await t.ask("PUT", "/v1/settings/providers/sc", {
    kind: "scripted",
    turns: { pair: [{ calls: [question("One?"), question("Two?")] }, done], asker },
  })
  const names = ["pair", "asker"]
  await t.ask("PUT", "/v1/catalog", {
    agents: Object.fromEntries(names.map((name) => [`${name}.md`, agent(name)])),
    flows: Object.fromEntries(names.map((name) => [`${name}.yaml`, alone(name)])),
  })
})

const TOOLS = [{ type: "function", function: { name: "ask_user", parameters: { type: "object" } } }]
async function send(model: string, messages: readonly object[], more: object = {}): Promise<Completion> {
  const r = await t.raw("POST", "/v1/chat/completions", { model, messages, ...more })
  const text = await r.text()
  expect(r.status, text).toBe(200)
  return JSON.parse(text) as Completion
}
const user = { role: "user", content: "paint" }
const result = (call: ToolCall, content: string) => ({ role: "tool", tool_call_id: call.id, content })
const callsOf = (r: Completion): ToolCall[] => r.choices[0].message.tool_calls ?? []

describe("Chat Completions", () => {
  test("[P25] one of two questions is answered: the next response asks the other, and the run ends with its answer", async () => {
    const first = await send("pair", [user], { tools: TOOLS })
    const [one, two] = callsOf(first)
    if (!one || !two) throw new Error("two calls are asked")
    const half = await send("pair", [user, first.choices[0].message, result(one, "red")], { tools: TOOLS })
    expect([half.choices[0].finish_reason, callsOf(half).map(({ id }) => id)]).toEqual(["tool_calls", [two.id]])
    const end = await send("pair", [user, half.choices[0].message, result(two, "blue")], { tools: TOOLS })
    expect([end.choices[0].finish_reason, end.choices[0].message.content, end.sluice.run]).toEqual(["stop", "done", first.sluice.run])
  })

  test.each(["blue", '"blue"', '{"answer":"blue"}'])("[P25] the result %s answers, and sent again it is answered again", async (said) => {
    const first = await send("asker", [user], { tools: TOOLS })
    const [call] = callsOf(first)
    if (!call) throw new Error("a call is asked")
    const messages = [user, first.choices[0].message, result(call, said)]
    const ends = [await send("asker", messages, { tools: TOOLS }), await send("asker", messages, { tools: TOOLS })]
    for (const end of ends)
      expect([end.choices[0].finish_reason, end.choices[0].message.content, end.sluice.run]).toEqual(["stop", "done", first.sluice.run])
  })

  test("[P28] a result for nothing that this flow asked is refused, and decides nothing", async () => {
    const first = await send("pair", [user], { tools: TOOLS })
    const [one, two] = callsOf(first)
    if (!one || !two) throw new Error("two calls are asked")
    const strange = { ...one, id: `run_${"a".repeat(26)}.i1` }
    const wrong = [
      [result(strange, "red")],
      [result({ ...one, id: one.id.replace(/i\d+$/, "i99") }, "red")],
      [result(one, "red"), result(two, "green")],
    ]
    for (const results of wrong) {
      const r = await t.raw("POST", "/v1/chat/completions", { model: "pair", messages: [user, ...results], tools: TOOLS })
      expect([r.status, await r.json()]).toMatchObject([400, { error: { param: "messages", code: "invalid" } }])
    }
    const other = await t.raw("POST", "/v1/chat/completions", { model: "asker", messages: [user, result(one, "red")], tools: TOOLS })
    expect(other.status).toBe(400)
    const open = (await t.ask("GET", `/v1/runs/${first.sluice.run}/interactions?status=pending`)) as { data: unknown[] }
    expect(open.data).toHaveLength(2)
  })

  test("[P3] a faulty file, and a faulty member of the start, are named where the client wrote them", async () => {
    const ask = async (body: object) => (await t.raw("POST", "/v1/chat/completions", { model: "asker", messages: [user], ...body })).json()
    const image = { type: "image_url", image_url: { url: "data:image/png;base64,@@@" } }
    const messages = [{ role: "user", content: [{ type: "text", text: "see" }, image] }]
    expect(await ask({ messages })).toMatchObject({
      error: { param: "messages", message: expect.stringMatching(/^\/messages\/0\/content\/1: /) },
    })
    expect(await ask({ sluice: { nope: 1 } })).toMatchObject({
      error: { param: "sluice", message: expect.stringMatching(/^\/sluice\/nope: /) },
    })
    expect(await ask({ sluice: { files: 5 } })).toMatchObject({
      error: { param: "sluice", message: expect.stringMatching(/^\/sluice\/files: /) },
    })
  })

  test("[P26] a tenant's flows are its models", async () => {
    const list = (await (await t.raw("GET", "/v1/models")).json()) as { data: { id: string }[] }
    expect(list.data.map(({ id }) => id)).toEqual(expect.arrayContaining(["asker", "pair"]))
    // The built-in ones are examples: in no list beside a tenant's own, and there by name.
    expect(list.data.map(({ id }) => id)).not.toContain("triage")
    expect(await (await t.raw("GET", "/v1/models/triage")).json()).toMatchObject({ id: "triage" })
    const { revision } = (await (await t.raw("GET", "/v1/catalog")).json()) as { revision: number }
    for (const name of ["asker", `asker@${revision}`])
      expect(await (await t.raw("GET", `/v1/models/${name}`)).json()).toMatchObject({ id: name, object: "model" })
    for (const name of ["nope", "asker@999", "asker@", "asker@x", `nope@${revision}`])
      expect((await t.raw("GET", `/v1/models/${name}`)).status, name).toBe(404)
  })
})
