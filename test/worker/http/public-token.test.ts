// What a public token opens [H1]: a page sees what agents say and ask, and no word of what they were told, may do, or got from tools.

import { beforeAll, describe, expect, test } from "vitest"
import { agent, ask, call, ended, eventsOf, flow, LOCAL, runOf, socket, start, until } from "../../support/worker/house.ts"

const SAYS = { text: "I look at it.", summary: "SUMMARY of the step", question: "Which region?" }
/** Words that must stay inside, each in a place of its own. */
const CANARIES = {
  prompt: "canary-prompt-1f",
  task: "canary-task-2e",
  input: "canary-input-3d",
  argument: "canary-argument-4c",
  result: "canary-result-5b",
  scope: "canary-scope-6a",
  rule: "canary-rule-79",
  tag: "canary-tag-88",
  agent: "canary-agent-97",
  code: "canary-code-a6",
  callback: "canary-callback-b5",
  steer: "canary-steer-c4",
}

const AGENT = `---\nname: ${CANARIES.agent}\ndescription: d\nmodel: rehearsal/default\ntools: write, read, ask_user\ninputs: [word]\n---\n${CANARIES.prompt} \${{task}} \${{input.word}}\n`
const FLOW = `name: shown\ndescription: d\ninputs:\n  word: { type: string }\nsteps:
  - { id: a, type: agent, agent: ${CANARIES.agent}, inputs: { word: "\${{flow.input.word}}" } }
  - { id: c, type: code, outputs: [secret] }
  - { id: b, type: agent, agent: ${CANARIES.agent}, inputs: { word: "x" } }
`
const REHEARSAL = `steps:
  a:
    - text: "${SAYS.text}"
      calls:
        - { tool: write, args: { path: named.md, content: "${CANARIES.argument}" } }
        - { tool: write, args: { path: hidden.md, content: "x" } }
    - calls: [{ tool: read, args: { path: "${CANARIES.result}.md" } }]
    - calls: [{ tool: ask_user, args: { question: "${SAYS.question}", type: select, options: [eu, us], multiSelect: true } }]
    - finish: { status: complete, summary: "${SAYS.summary}", files: [{ path: named.md, action: created }] }
  b:
    - calls: [{ tool: bash, args: { command: "ls" } }]
    - finish: { status: complete, summary: last }
`

beforeAll(async () => {
  await ask("PUT", "/v1/catalog", {
    agents: { [`${CANARIES.agent}.md`]: AGENT, "w.md": agent("w", "write") },
    flows: {
      "shown.yaml": FLOW,
      "shown.rehearsal.yaml": REHEARSAL,
      "approve.yaml": flow("approve", "  - { id: a, type: agent, agent: w }\n"),
      "approve.rehearsal.yaml":
        "steps:\n  a:\n    - calls: [{ tool: write, args: { path: a.md, content: inside } }]\n    - finish: { status: complete, summary: done }\n",
    },
    code: { "shown/c.ts": `export default async () => ({ secret: "${CANARIES.code}" })` },
  })
})

const bare = (path: string, method = "GET", headers: Record<string, string> = {}, body?: object) => call(method, path, body, headers, "")
const made = async (id: string, body: object = { view: "public" }): Promise<string> =>
  (await ask<{ token: string }>("POST", `/v1/runs/${id}/token`, body)).token
const asks = (run: { readonly pending: number }): boolean => run.pending > 0

async function shown(): Promise<string> {
  const value = { value: "a-value-of-the-vault" }
  await call("PUT", `/v1/secrets/${CANARIES.scope}`, value)
  await call("PUT", "/v1/settings/policy", { denylist: [{ tool: "nothing*", reason: CANARIES.rule }] })
  const id = await start("shown", { task: CANARIES.task, inputs: { word: CANARIES.input }, tags: [CANARIES.tag], autonomous: false })
  await until(id, asks)
  return id
}

describe("a public token", () => {
  test("[H1] shows the state, text, questions, output and named files, and no canary anywhere", async () => {
    const id = await shown()
    const token = await made(id, { view: "public", answer: true })
    const seen: string[] = []
    const read = async (path: string, headers: Record<string, string> = {}): Promise<string> => {
      const r = await bare(`/v1/runs/${id}${path}${path.includes("?") ? "&" : "?"}token=${token}`, "GET", headers)
      const text = await r.text()
      expect(r.status, `${path}: ${text}`).toBe(200)
      seen.push(text, JSON.stringify([...r.headers]))
      return text
    }
    const [question] = JSON.parse(await read("/interactions?status=pending")).data
    expect(question).toMatchObject({ kind: "ask_user", payload: { question: SAYS.question, options: ["eu", "us"], multiSelect: true } })
    expect(question.schema.oneOf.length).toBeGreaterThan(1)
    await read("")
    await read(`/interactions/${question.id}`)
    const answered = await bare(`/v1/runs/${id}/interactions/${question.id}?token=${token}`, "POST", {}, { answer: ["eu"] })
    expect(answered.status).toBe(200)
    seen.push(await answered.text())
    const again = await bare(`/v1/runs/${id}/interactions/${question.id}`, "POST", { authorization: `Bearer ${token}` }, { auto: true })
    expect(again.status).toBe(409)
    seen.push(await again.text())
    await until(id, ended)

    const run = JSON.parse(await read(""))
    expect(run).toMatchObject({ id, flow: "shown", rehearsed: true, steps: { a: { summary: SAYS.summary, status: "complete" } } })
    expect((await runOf(id)).status).toBe(run.status)
    const stream = await read("/events?snapshot=1", { accept: "text/event-stream" })
    const page = JSON.parse(await read("/events?limit=1000"))
    for (const text of [stream, JSON.stringify(page)]) for (const word of Object.values(SAYS)) expect(text).toContain(word)
    expect(page.data.every((e: { type: string; seq: number }) => stream.includes(`id: ${e.seq}\nevent: ${e.type}\n`))).toBe(true)
    expect(page.data.at(-1).type).toBe("run.ended")
    expect(page.next_cursor).toBeNull()
    expect(JSON.parse(await read("/files")).data.map((f: { path: string }) => f.path)).toEqual(["named.md"])
    // The file's content is the run's product: the page reads what an agent names.
    expect(await (await bare(`/v1/runs/${id}/files/named.md?token=${token}`)).text()).toBe(CANARIES.argument)
    expect((await bare(`/v1/runs/${id}/files/hidden.md?token=${token}`)).status).toBe(404)

    const whole = JSON.stringify([await eventsOf(id), await runOf(id)])
    for (const word of [CANARIES.prompt, CANARIES.task, CANARIES.argument, CANARIES.code]) expect(whole + AGENT).toContain(word)
    for (const [name, word] of Object.entries(CANARIES)) expect(seen.join("\n"), name).not.toContain(word)
    for (const word of ["tool.called", "tool.returned", "toolCalls", '"pinned"', '"usage"', '"budget"', '"trigger"', '"by"', "rules"])
      expect(seen.join("\n"), word).not.toContain(word)
  })

  test("[H1] reads over a WebSocket and as a Bearer, and opens nothing else", async () => {
    const id = await start("approve")
    await until(id, ended)
    const token = await made(id)
    const bearer = { authorization: `Bearer ${token}` }
    for (const path of ["", "/events", "/files", "/interactions"])
      expect((await bare(`/v1/runs/${id}${path}`, "GET", bearer)).status).toBe(200)
    for (const [method, path] of [
      ["GET", "/v1/runs"],
      ["GET", `/v1/runs/${id}/steps/a/messages`],
      ["GET", `/v1/runs/${id}/steps/a/tools`],
      ["GET", `/v1/runs/${id}/outputs/x`],
      ["POST", `/v1/runs/${id}/cancel`],
      ["POST", `/v1/runs/${id}/token`],
      ["POST", `/v1/runs/${id}/interactions/i/link`],
      ["DELETE", `/v1/runs/${id}`],
      ["POST", "/mcp"],
    ] as const)
      expect((await bare(path, method, bearer, method === "POST" ? {} : undefined)).status, `${method} ${path}`).toBe(401)
    expect((await bare(`/v1/runs/${id}/interactions/i`, "POST", bearer, { auto: true })).status).toBe(403)
    for (const format of ["pi-flows", "harness"])
      expect((await bare(`/v1/runs/${id}/events?format=${format}`, "GET", bearer)).status).toBe(422)
    const other = await start("approve")
    await until(other, ended)
    expect((await bare(`/v1/runs/${other}`, "GET", bearer)).status).toBe(404)
  })

  test("[H1] [E4] every frame of a WebSocket is public: the same events as the page, and no canary, from the first to the last", async () => {
    const id = await shown()
    const token = await made(id, { view: "public", answer: true })
    const followed = socket(`/v1/runs/${id}/events?token=${token}&snapshot=1`)
    const byBearer = socket(`/v1/runs/${id}/events`, { authorization: `Bearer ${token}` })
    const [question] = (await (await bare(`/v1/runs/${id}/interactions?token=${token}`)).json<{ data: { id: string }[] }>()).data
    expect((await bare(`/v1/runs/${id}/interactions/${question?.id ?? ""}?token=${token}`, "POST", {}, { answer: ["us"] })).status).toBe(
      200,
    )
    await until(id, ended)
    const late = await socket(`/v1/runs/${id}/events?token=${token}`)
    const page = await (await bare(`/v1/runs/${id}/events?limit=1000&token=${token}`)).json<{ data: { seq: number; type: string }[] }>()
    for (const { messages } of [await followed, await byBearer, late]) {
      const events = messages.filter((m) => typeof m["seq"] === "number" && m["type"] !== "run.snapshot")
      expect(events).toEqual(page.data)
      for (const [name, word] of Object.entries(CANARIES)) expect(JSON.stringify(messages), name).not.toContain(word)
      expect(JSON.stringify(messages)).not.toMatch(/tool\.called|tool\.returned|toolCalls|"pinned"|"usage"|"budget"|"trigger"|"by"|"rules"/)
    }
    for (const format of ["pi-flows", "harness"])
      expect((await bare(`/v1/runs/${id}/events?format=${format}&token=${token}`, "GET", { upgrade: "websocket" })).status).toBe(422)
  })

  test("[H1] does not know approvals: they show a call", async () => {
    await call("PUT", "/v1/settings/policy", { approvals: { tools: "always" } })
    const id = await start("approve")
    await until(id, asks)
    await call("PUT", "/v1/settings/policy", {})
    const token = await made(id, { view: "public", answer: true })
    const [approval] = (await ask<{ data: { id: string; kind: string }[] }>("GET", `/v1/runs/${id}/interactions`)).data
    expect(approval?.kind).toBe("approval.tool")
    const list = await (await bare(`/v1/runs/${id}/interactions?token=${token}`)).json<{ data: unknown[] }>()
    expect(list.data).toEqual([])
    const one = `/v1/runs/${id}/interactions/${approval?.id ?? ""}?token=${token}`
    expect((await bare(one)).status).toBe(404)
    expect((await bare(one, "POST", {}, { decision: "approve" })).status).toBe(404)
    expect((await bare(one, "POST", {}, { nonsense: 1 })).status).toBe(404)
    expect(JSON.stringify(await (await bare(`/v1/runs/${id}/events?token=${token}`)).json())).not.toMatch(/inside|approval/)
    await ask("POST", `/v1/runs/${id}/cancel`)
  })

  test("[H1] answers only with the right of its maker, and only a public one answers", async () => {
    const id = await start("approve")
    await until(id, ended)
    const reader = await ask<{ key: string }>("POST", "/v1/keys", { name: "r", scopes: ["runs:read"] })
    expect((await call("POST", `/v1/runs/${id}/token`, { view: "public", answer: true }, {}, reader.key)).status).toBe(403)
    expect((await call("POST", `/v1/runs/${id}/token`, { view: "public" }, {}, reader.key)).status).toBe(201)
    expect((await call("POST", `/v1/runs/${id}/token`, { answer: true }, {}, LOCAL)).status).toBe(422)
    expect((await call("POST", `/v1/runs/${id}/token`, { view: "whole" }, {}, LOCAL)).status).toBe(422)
  })
})
