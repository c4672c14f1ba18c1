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

  test("[P26] a tenant's flows are its models", async () => {
    const list = (await (await t.raw("GET", "/v1/models")).json()) as { data: { id: string }[] }
    expect(list.data.map(({ id }) => id)).toEqual(expect.arrayContaining(["asker", "pair"]))
  })
})
