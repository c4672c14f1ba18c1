// A question of a run below, where no page shows it [P5]: an MCP client's user is asked, a callback and a task's push tell of it.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { SELF } from "cloudflare:test"
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest"
import { ask, call, ended, until } from "../../support/worker/house.ts"

type Loose = Readonly<Record<string, unknown>>

const KEY = { authorization: "Bearer sl_local_dev" }
const agent = (name: string, tools: string, more = ""): string =>
  `---\nname: ${name}\ndescription: d\nmodel: below/${name}\ntools: ${tools}\n${more}---\n` + "Do it. ${{task}}\n"
const flow = (name: string, steps: string): string => `name: ${name}\ndescription: d\nautonomous: false\nsteps:\n${steps}`
const below = (name: string, child: string): string => flow(name, `  - { id: c, type: flow-ref, flow: ${child} }\n`)
const done = { finish: { status: "complete", summary: "painted" } }

beforeAll(async () => {
  await ask("PUT", "/v1/settings/providers/below", {
    kind: "scripted",
    turns: {
      picks: [{ calls: [{ tool: "ask_user", args: { question: "Which?", type: "select", options: ["red", "blue"] } }] }, done],
      writes: [{ calls: [{ tool: "write", args: { path: "a.txt", content: "hi" } }] }, done],
    },
  })
  await call("PUT", "/v1/secrets/told", { value: `whsec_${btoa("a secret of 24 bytes or so")}` })
  await ask("PUT", "/v1/catalog", {
    agents: { "picks.md": agent("picks", "ask_user"), "writes.md": agent("writes", "write", "tool_approvals: { write: always }\n") },
    flows: {
      "picks.yaml": flow("picks", "  - { id: a, type: agent, agent: picks }\n"),
      "writes.yaml": flow("writes", "  - { id: a, type: agent, agent: writes }\n"),
      "above.yaml": below("above", "picks"),
      "deep.yaml": below("deep", "above"),
      "approves.yaml": below("approves", "writes"),
      "both.yaml": `name: both
description: d
autonomous: false
inputs: { items: { type: array, default: [x, y] } }
steps:
  - { id: m, type: map, over: "\${{flow.input.items}}", do: picks, task: "\${{item}}" }
`,
    },
  })
})
afterEach(() => {
  vi.unstubAllGlobals()
})

interface Asked {
  readonly message: string
  readonly fields: readonly string[]
}

/** A client whose user answers; without answers it has no user. */
async function connect(era: "legacy" | "modern", answers?: Loose): Promise<{ readonly client: Client; readonly asked: Asked[] }> {
  const asked: Asked[] = []
  const client = new Client(
    { name: "test", version: "1" },
    { capabilities: answers ? { elicitation: { form: {} } } : {}, versionNegotiation: { mode: era === "modern" ? "auto" : "legacy" } },
  )
  if (answers)
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      if (!("requestedSchema" in params)) throw new Error("not a form")
      const fields = Object.keys(params.requestedSchema.properties ?? {})
      asked.push({ message: params.message, fields })
      const content = Object.fromEntries(fields.flatMap((field) => (field in answers ? [[field, String(answers[field])]] : [])))
      return { action: "accept", content }
    })
  const transport = new StreamableHTTPClientTransport(new URL("http://sluice/mcp"), {
    requestInit: { headers: KEY },
    fetch: (url, init) => SELF.fetch(String(url), init as RequestInit),
  })
  await client.connect(transport)
  return { client, asked }
}
const resultOf = ({ structuredContent }: { readonly structuredContent?: unknown }): Loose => structuredContent as Loose

describe.each(["legacy", "modern"] as const)("over MCP, %s", (era) => {
  test.each(["above", "deep"])(
    "[P5] [H12] %s: the user of the client is asked what the run below asks, and its run goes on",
    async (name) => {
      const { client, asked } = await connect(era, { answer: "red" })
      const result = await client.callTool({ name: `flow_${name}`, arguments: { task: "paint" } })
      expect(resultOf(result)).toMatchObject({ status: "succeeded" })
      expect(asked.map(({ message }) => message.includes("Which?"))).toEqual([true])
      await client.close()
    },
  )

  test("[P5] [H12] questions of two children are both asked; an approval below is one", async () => {
    const both = await connect(era, { answer: "blue" })
    expect(resultOf(await both.client.callTool({ name: "flow_both", arguments: { task: "paint" } }))).toMatchObject({ status: "succeeded" })
    expect(both.asked).toHaveLength(2)
    await both.client.close()
    const one = await connect(era, { decision: "approve" })
    expect(resultOf(await one.client.callTool({ name: "flow_approves", arguments: { task: "write" } }))).toMatchObject({
      status: "succeeded",
    })
    expect(one.asked).toMatchObject([{ fields: expect.arrayContaining(["decision"]) }])
    await one.client.close()
  })

  test("[P5] [H12] a client without a user is told that the run waits, and for whom", async () => {
    const { client } = await connect(era)
    const result = await client.callTool({ name: "flow_deep", arguments: { task: "paint" } })
    expect(resultOf(result)).toMatchObject({ status: "waiting" })
    expect(JSON.stringify(result)).toContain("Which?")
    await client.close()
  })
})

/** What is sent to the receiver. */
function received(): { readonly url: string; readonly body: Loose }[] {
  const got: { readonly url: string; readonly body: Loose }[] = []
  const real = fetch
  vi.stubGlobal("fetch", async (url: string | URL | Request, init?: RequestInit) => {
    if (!String(url).includes("receiver.example.com")) return real(url, init)
    got.push({ url: String(url), body: JSON.parse(String(init?.body)) as Loose })
    return new Response(null, { status: 204 })
  })
  return got
}
const SOON = { timeout: 30_000 }

describe("told outside", () => {
  test.each(["above", "deep"])("[P5] [W6] %s: the start's callback hears of the question with a link that answers it", async (name) => {
    const got = received()
    const callback = { url: "https://receiver.example.com/in", secret: "told" }
    const { id } = await ask<{ id: string }>("POST", `/v1/flows/${name}/runs`, { task: "paint", callback })
    // The runs below tell of it too, each under its own id: a parent waits only once nothing else of it goes on.
    const mine = () =>
      got.flatMap(({ body }) => ((body["data"] as Loose)["run"] === id ? [{ type: body["type"], data: body["data"] as Loose }] : []))
    await vi.waitFor(() => expect(mine()).toHaveLength(1), SOON)
    const [{ type, data } = { type: "", data: {} as Loose }] = mine()
    expect([type, data]).toMatchObject(["run.waiting", { run: id, status: "waiting", interaction: { kind: "ask_user" } }])
    const { link, run, payload } = data["interaction"] as { link: string; run: string; payload: Loose }
    expect([run === id, payload["question"]]).toEqual([false, "Which?"])
    const answered = await SELF.fetch(link, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ answer: "red" }),
    })
    expect(answered.status).toBe(200)
    expect((await until(id, ended)).status).toBe("succeeded")
    await vi.waitFor(() => expect(mine().map((one) => one.type)).toEqual(["run.waiting", "run.succeeded"]), SOON)
  })

  test("[P5] [P17] a task's push has the state and the question of the run below", async () => {
    const got = received()
    const message = { messageId: crypto.randomUUID(), role: "ROLE_USER", parts: [{ text: "paint" }] }
    const configuration = { returnImmediately: true, taskPushNotificationConfig: { url: "https://receiver.example.com/push" } }
    const sent = await call("POST", "/a2a/deep/message:send", { message, configuration }, { "a2a-version": "1.0" })
    expect(sent.status, await sent.clone().text()).toBe(200)
    await vi.waitFor(() => expect(got.some(({ body }) => JSON.stringify(body).includes("INPUT_REQUIRED"))).toBe(true), SOON)
    const update = got.find(({ body }) => JSON.stringify(body).includes("INPUT_REQUIRED"))?.body
    expect(JSON.stringify(update)).toContain("Which?")
    const { task } = (await sent.json()) as { task: { id: string } }
    const answer = { taskId: task.id, messageId: crypto.randomUUID(), role: "ROLE_USER", parts: [{ text: "red" }] }
    await ask("POST", "/a2a/deep/message:send", { message: answer }, { "a2a-version": "1.0" })
    await vi.waitFor(() => expect(got.some(({ body }) => JSON.stringify(body).includes("TASK_STATE_COMPLETED"))).toBe(true), SOON)
  })
})
