// Holds of every protocol what a run's answer is [P4], that a thread has one run at work [P7]; and an A2A agent's card [P12] and its
// tasks that go on [P15].

import { beforeAll, describe, expect, test, vi } from "vitest"
import { ThreadStore } from "../../../src/cloudflare/tenant/sessions/thread-store.ts"
import { tenant, until, type Tenant } from "../../support/worker/service-client.ts"

let t: Tenant
const V = { "a2a-version": "1.0" }
const question = (text: string) => ({ tool: "ask_user", args: { question: text, type: "select", options: ["red", "blue"] } })
const agent = (name: string, more = "") =>
  `---\nname: ${name}\ndescription: d\nmodel: sc/${name}\ntools: ask_user, read\n${more}---\nDo it. \${{task}}\n`
const flow = (name: string, steps: string, tail = "") =>
  `name: ${name}\ndescription: does ${name}\nautonomous: false\nsteps:\n${steps}${tail}`
const alone = (name: string, tail = "") => flow(name, `  - { id: a, type: agent, agent: ${name} }\n`, tail)
const done = { finish: { status: "complete", summary: "the summary" } }
const SAID = 'outputs: { answer: "${{result.a.said}}", reply: "no" }\n'

beforeAll(async () => {
  t = await tenant("doorrules")
  await t.ask("PUT", "/v1/settings/providers/sc", {
    kind: "scripted",
    turns: {
      plain: [{ text: "let me think aloud" }, done],
      said: [{ finish: { status: "complete", summary: "the summary", said: "the answer" } }],
      asker: [{ calls: [question("Which?")] }, done],
      pair: [{ calls: [question("One?"), question("Two?")] }, done],
    },
  })
  const output = "outputs:\n  - { name: said, type: string }\n"
  await t.ask("PUT", "/v1/catalog", {
    agents: {
      "plain.md": agent("plain"),
      "said.md": agent("said", output),
      "asker.md": agent("asker"),
      "pair.md": agent("pair"),
    },
    flows: {
      "plain.yaml": alone("plain"),
      "said.yaml": alone("said", SAID),
      "reply.yaml": alone("said", 'outputs: { reply: "${{result.a.said}}" }\n').replace("name: said", "name: reply"),
      "asker.yaml": alone("asker"),
      "pair.yaml": alone("pair"),
      "later.yaml": `${flow("later", "  - { id: w, type: wait, for: 10m }\n")}start: { delay: 1h }\n`,
      "long.yaml": flow("long", "  - { id: w, type: wait, for: 10m }\n"),
    },
  })
})

describe("[P4] a run's answer", () => {
  const chat = async (model: string) => {
    const messages = [{ role: "user", content: "go" }]
    const r = await t.ask<{ choices: [{ finish_reason: string; message: { content: string; tool_calls?: unknown } }] }>(
      "POST",
      "/v1/chat/completions",
      { model, messages },
    )
    return r.choices[0]
  }

  test.each([
    ["said", "the answer"],
    ["reply", "the answer"],
    ["plain", "the summary"],
  ])("[P4] of %s is its output's `answer`, else `reply`, else its last summary: %s", async (model, content) => {
    expect(await chat(model)).toMatchObject({ finish_reason: "stop", message: { content } })
  })

  test("[P4] is without what agents say on the way, which is commentary, and `finish` is never shown as a call", async () => {
    const { message } = await chat("plain")
    expect(message).toMatchObject({ content: "the summary", reasoning_content: expect.stringContaining("think aloud") })
    expect(message.tool_calls).toBeUndefined()
    const r = await t.raw("POST", "/v1/chat/completions", { model: "plain", messages: [{ role: "user", content: "go" }], stream: true })
    const text = await r.text()
    expect(text).toContain("the summary")
    expect(text).not.toContain('"name":"finish"')
  })
})

describe("[P7] a thread", () => {
  const busy = async (r: Response) =>
    [r.status, await r.json<{ error?: { message: string; code: string }; code?: string; run?: string }>()] as const

  test("[P7] whose newest run is at work takes no message, and the refusal names the run", async () => {
    const { id } = await t.ask<{ id: string }>("POST", "/v1/flows/long/runs", { task: "go", thread: "at work" })
    const [status, body] = await busy(
      await t.raw("POST", "/v1/chat/completions", {
        model: "long",
        messages: [{ role: "user", content: "hi" }],
        sluice: { thread: "at work" },
      }),
    )
    expect([status, JSON.stringify(body).includes("thread_busy"), JSON.stringify(body).includes(id)]).toEqual([409, true, true])
    const [again, other] = await busy(await t.raw("POST", "/v1/responses", { model: "long", input: "hi", conversation: "at work" }))
    expect([again, JSON.stringify(other).includes(id)]).toEqual([409, true])
    expect((await t.ask<{ data: unknown[] }>("GET", "/v1/runs?thread=at%20work")).data).toHaveLength(1)
  })

  test("[P7] a message whose claim nobody heard of meets the thread's run when it comes again", async () => {
    const send = (key: string) =>
      t.raw("POST", "/v1/responses", { model: "later", input: "hi", conversation: "lost", background: true }, { "idempotency-key": key })
    expect((await send("first")).status).toBe(200)
    const real = ThreadStore.prototype.claim
    vi.spyOn(ThreadStore.prototype, "claim").mockImplementationOnce(function (this: ThreadStore, ...of) {
      real.apply(this, of)
      throw new Error("the answer is lost")
    })
    expect((await send("second")).status).toBe(500)
    expect((await busy(await send("second")))[0]).toBe(409)
    // Nor does the claim hold up the next one.
    expect((await busy(await send("third")))[0]).toBe(409)
    expect((await t.ask<{ data: unknown[] }>("GET", "/v1/runs?thread=lost")).data).toHaveLength(1)
  })

  test("[P7] of two messages that come together, one starts", async () => {
    const send = () => t.raw("POST", "/v1/responses", { model: "long", input: "hi", conversation: "race", background: true })
    const answers = await Promise.all([send(), send(), send()])
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409])
    expect((await t.ask<{ data: unknown[] }>("GET", "/v1/runs?thread=race")).data).toHaveLength(1)
    for (const { data } of [await t.ask<{ data: { id: string }[] }>("GET", "/v1/runs?flow=long")])
      for (const { id } of data) await t.raw("POST", `/v1/runs/${id}/cancel`)
  })
})

describe("[P12] an agent card", () => {
  const CARD = "/a2a/plain/.well-known/agent-card.json"

  test("[P12] has the flow as an A2A 1.0 agent at the address that was asked", async () => {
    const r = await t.raw("GET", CARD)
    const url = "http://sluice/a2a/plain"
    expect([r.status, await r.json()]).toMatchObject([
      200,
      {
        name: "plain",
        description: "does plain",
        supportedInterfaces: [
          { url, protocolBinding: "JSONRPC", protocolVersion: "1.0" },
          { url, protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
        ],
        capabilities: { streaming: true },
        skills: [{ id: "plain" }],
      },
    ])
  })

  test("[P12] needs a key, and of a flow that is not there is 404", async () => {
    const { SELF } = await import("cloudflare:test")
    expect((await SELF.fetch(`http://sluice${CARD}`)).status).toBe(401)
    expect((await t.raw("GET", "/a2a/nobody/.well-known/agent-card.json")).status).toBe(404)
  })

  test("[P12] its version and its ETag follow the flow's hash, and nothing else", async () => {
    const look = async (headers: Record<string, string> = {}) => {
      const r = await t.raw("GET", CARD, undefined, headers)
      return [r.status, r.headers.get("etag") ?? "", r.status === 304 ? "" : (await r.json<{ version: string }>()).version] as const
    }
    const [, etag, version] = await look()
    expect([etag.length > 2, version.length > 4]).toEqual([true, true])
    expect((await look({ "if-none-match": etag }))[0]).toBe(304)
    await t.ask("POST", "/v1/import?write=1", { files: { "agents/other.md": agent("other") } })
    expect((await look({ "if-none-match": etag }))[0]).toBe(304)
    await t.ask("POST", "/v1/import?write=1", { files: { "flows/plain.yaml": alone("plain").replace("id: a", "id: b") } })
    const [status, other, next] = await look({ "if-none-match": etag })
    expect([status, other !== etag, next !== version]).toEqual([200, true, true])
  })
})

describe("[P15] a task that asks", () => {
  interface Task {
    readonly id: string
    readonly contextId: string
    readonly status: {
      readonly state: string
      readonly message?: { readonly parts: readonly { readonly data?: { interaction?: string } }[] }
    }
  }
  let n = 0
  const send = (name: string, message: object) =>
    t.raw("POST", `/a2a/${name}/message:send`, { message: { messageId: `m${n++}`, role: "ROLE_USER", ...message } }, V)
  const begun = async (name: string): Promise<Task> => {
    const { task } = await (await send(name, { parts: [{ text: "go" }] })).json<{ task: Task }>()
    expect(task.status.state).toBe("TASK_STATE_INPUT_REQUIRED")
    return task
  }
  const open = async ({ id }: Task): Promise<string[]> =>
    (await t.ask<{ data: { id: string }[] }>("GET", `/v1/runs/${id}/interactions?status=pending`)).data.map((one) => one.id)
  const ended = async ({ id }: Task) =>
    until(async () => {
      const run = await t.ask<{ ended?: string; status: string; pending: number }>("GET", `/v1/runs/${id}`)
      return run.ended === undefined ? undefined : run.status
    }, "the task's end")

  test("[P15] is answered by a message with its taskId: a text for its one question", async () => {
    const task = await begun("asker")
    expect((await send("asker", { taskId: task.id, parts: [{ text: "purple" }] })).status).toBe(400)
    expect(await open(task)).toEqual(["i1"])
    const answered = await send("asker", { taskId: task.id, parts: [{ text: "red" }] })
    expect([answered.status, (await answered.json<{ task: Task }>()).task]).toMatchObject([
      200,
      { id: task.id, status: { state: "TASK_STATE_COMPLETED" } },
    ])
  })

  test("[P15] by data parts all together or not at all: what does not fit is 400 and leaves it open", async () => {
    const task = await begun("pair")
    const [one = "", two = ""] = await open(task)
    const part = (interaction: string, answer: string) => ({ data: { interaction, answer } })
    for (const parts of [
      [part(one, "red"), part(two, "purple")],
      [part(one, "red"), part("i9", "red")],
      [part(one, "red"), part(one, "blue")],
      [{ data: { interaction: one } }],
      [{ text: "red" }],
    ]) {
      expect((await send("pair", { taskId: task.id, parts })).status).toBe(400)
      expect(await open(task)).toEqual([one, two])
    }
    expect((await send("pair", { taskId: task.id, contextId: "another", parts: [part(one, "red"), part(two, "blue")] })).status).toBe(400)
    expect((await send("pair", { taskId: task.id, parts: [part(one, "red"), part(two, "blue")] })).status).toBe(200)
    expect(await ended(task)).toBe("succeeded")
    // An ended task takes no messages.
    expect((await send("pair", { taskId: task.id, parts: [{ text: "red" }] })).status).toBe(400)
  })
})
