// OpenAI Responses at the door [P27, P28]: what goes on, what is answered again, and what is refused in OpenAI's form.

import { beforeAll, describe, expect, test } from "vitest"
import { client, tenant, type Client, type Tenant } from "../../support/worker/service-client.ts"

interface Item {
  readonly type: string
  readonly id: string
  readonly call_id?: string
  readonly arguments?: string
  readonly content?: readonly { readonly text: string }[]
}
interface Answer {
  readonly id: string
  readonly status: string
  readonly output: readonly Item[]
  readonly previous_response_id: string | null
  readonly error: { readonly message: string; readonly param: string | null; readonly code: string } | null
  readonly sluice: { readonly run: string; readonly thread: string }
}

let t: Tenant
const question = (text: string) => ({ tool: "ask_user", args: { question: text, type: "select", options: ["red", "blue"] } })
const agent = (name: string) => `---\nname: ${name}\ndescription: d\nmodel: sc/${name}\ntools: ask_user, read\n---\n` + "Do it. ${{task}}\n"
const flow = (name: string) => `name: ${name}\ndescription: d\nautonomous: false\nsteps:\n  - { id: a, type: agent, agent: ${name} }\n`

beforeAll(async () => {
  t = await tenant("responses")
  const done = { finish: { status: "complete", summary: "done" } }
  await t.ask("PUT", "/v1/settings/providers/sc", {
    kind: "scripted",
    turns: { plain: [done], asker: [{ calls: [question("Which?")] }, done], pair: [{ calls: [question("One?"), question("Two?")] }, done] },
  })
  const names = ["plain", "asker", "pair"]
  await t.ask("PUT", "/v1/catalog", {
    agents: Object.fromEntries(names.map((name) => [`${name}.md`, agent(name)])),
    flows: Object.fromEntries(names.map((name) => [`${name}.yaml`, flow(name)])),
  })
})

async function send(body: object, status = 200, by: Client = t, headers: Record<string, string> = {}): Promise<Answer> {
  const r = await by.raw("POST", "/v1/responses", body, headers)
  const text = await r.text()
  expect(r.status, text).toBe(status)
  return JSON.parse(text) as Answer
}
const asked = (r: Answer): string[] => r.output.flatMap(({ call_id: id }) => (id === undefined ? [] : [id]))
const output = (call_id: string, text: string) => ({ type: "function_call_output", call_id, output: text })
const textOf = (r: Answer): string => r.output.flatMap(({ content }) => (content ?? []).map(({ text }) => text)).join("")

describe("Responses", () => {
  test("[P10] what a flow cannot do and bad bodies are 400 with the member; an unknown flow is 404 first", async () => {
    const bad: [object, string][] = [
      [{ input: "x", n: 2 }, "n"],
      [{ input: "x", top_logprobs: 3 }, "top_logprobs"],
      [{ input: "x", include: ["message.output_text.logprobs"] }, "include"],
      [{ input: "x", tool_choice: { type: "function", name: "f" } }, "tool_choice"],
      [{ input: "x", text: { format: { type: "json_schema", name: "n", schema: {} } } }, "text"],
      [{ input: "" }, "input"],
      [{}, "input"],
      [{ input: [] }, "input"],
      [{ input: [{ role: "assistant", content: "x" }] }, "input"],
      [{ input: "x", conversation: "a\nb" }, "conversation"],
      [{ input: "x", conversation: "c", previous_response_id: "resp_x" }, "conversation"],
      [{ input: "x", previous_response_id: "resp_run_none" }, "previous_response_id"],
      [{ input: [{ role: "user", content: [{ type: "input_file", file_id: "file-1" }] }] }, "input"],
      [{ input: [{ role: "user", content: [{ type: "input_image", file_id: "file-1" }] }] }, "input"],
    ]
    for (const [body, param] of bad) expect((await send({ model: "plain", ...body }, 400)).error?.param, JSON.stringify(body)).toBe(param)
    expect((await send({ model: "nope", input: 5 }, 404)).error).toMatchObject({ code: "model_not_found", param: "model" })
    const fine = {
      temperature: 1,
      top_p: 1,
      tools: [{ type: "web_search" }],
      store: false,
      tool_choice: "auto",
      truncation: "auto",
      strange: 1,
    }
    expect((await send({ model: "plain", input: "x", ...fine })).status).toBe("completed")
  })

  test("[P27] reading a response repeats what its request said of itself, each response what its own said", async () => {
    const said = { metadata: { ticket: "7" }, instructions: "be brief", conversation: { id: "echo-1" } }
    const first = await send({ model: "asker", input: "paint", ...said })
    expect(await t.ask("GET", `/v1/responses/${first.id}`)).toEqual(first)
    expect(first).toMatchObject(said)
    const own = { metadata: { ticket: "8" } }
    const end = await send({ model: "asker", input: [output(asked(first)[0] ?? "", "red")], previous_response_id: first.id, ...own })
    expect(await t.ask("GET", `/v1/responses/${end.id}`)).toEqual(end)
    expect(end).toMatchObject({ ...own, previous_response_id: first.id, instructions: null })
    expect(await t.ask("GET", `/v1/responses/${first.id}`)).toMatchObject(said)
    const streamed = await (await t.raw("GET", `/v1/responses/${first.id}?stream=true`)).text()
    const responses = streamed
      .split("\n")
      .flatMap((line) => (line.includes('"response":{') ? [JSON.parse(line.slice(6)) as { response: object }] : []))
    expect(responses.length).toBeGreaterThan(1)
    for (const { response } of responses) expect(response).toMatchObject(said)
  })

  test("[P27] members that are too large to keep are not repeated later", async () => {
    const first = await send({ model: "plain", input: "x", instructions: "i".repeat(70_000) })
    expect(await t.ask("GET", `/v1/responses/${first.id}`)).toMatchObject({ id: first.id, instructions: null, output: first.output })
  })

  test("[P3] files of a message are in the workspace", async () => {
    const content = [
      { type: "input_text", text: "see" },
      { type: "input_file", filename: "n.txt", file_data: `data:text/plain;base64,${btoa("hello")}` },
    ]
    const { sluice } = await send({ model: "plain", input: [{ role: "user", content }] })
    expect(await (await t.raw("GET", `/v1/runs/${sluice.run}/files/attachments/n.txt`)).text()).toBe("hello")
  })

  test("[P28] what does not fit is 400 and leaves the question open; the same answer again is the same response", async () => {
    const q = await send({ model: "asker", input: "go" })
    const [id = ""] = asked(q)
    const go = { model: "asker", previous_response_id: q.id }
    await send({ ...go, input: [output(id, "green")] }, 400)
    await send({ ...go, input: [output(`${id}x`, "red")] }, 400)
    await send({ ...go, input: [{ type: "mcp_approval_response", approval_request_id: id, approve: true }] }, 400)
    await send({ ...go, model: "plain", input: [output(id, "red")] }, 400)
    await send({ ...go, input: [output(id, "red"), { role: "user", content: "and now" }] }, 400)
    const reader = await t.ask<{ key: string }>("POST", "/v1/keys", { name: "r", scopes: ["runs:write", "runs:read"] })
    await send({ ...go, input: [output(id, "red")] }, 403, client(reader.key))
    const first = await send({ ...go, input: [output(id, JSON.stringify({ answer: "red" }))] })
    expect([first.id, textOf(first), first.previous_response_id]).toEqual([`${q.id}_2`, "done", q.id])
    expect((await send({ ...go, input: [output(id, "red")] })).output).toEqual(first.output)
    await send({ ...go, input: [output(id, "blue")] }, 400)
  })

  test("[P6] a text that is no answer asks again as the same response, and an option answers it", async () => {
    const q = await send({ model: "asker", input: "go", conversation: "c-1" })
    const again = await send({ model: "asker", input: "what?", conversation: { id: "c-1" } })
    expect([again.id, asked(again)]).toEqual([q.id, asked(q)])
    const end = await send({ model: "asker", input: "2", previous_response_id: q.id })
    expect([end.sluice.run, textOf(end)]).toEqual([q.sluice.run, "done"])
  })

  test("[P28] two questions: one answer asks for the rest, both at once go on", async () => {
    const q = await send({ model: "pair", input: "go" })
    const [one = "", two = ""] = asked(q)
    const half = await send({ model: "pair", previous_response_id: q.id, input: [output(one, "red")] })
    expect([half.status, asked(half)]).toEqual(["completed", [two]])
    expect(textOf(await send({ model: "pair", previous_response_id: half.id, input: [output(two, "red")] }))).toBe("done")
    const r = await send({ model: "pair", input: "go" })
    const both = asked(r).map((id) => output(id, "blue"))
    expect(textOf(await send({ model: "pair", previous_response_id: r.id, input: both }))).toBe("done")
  })

  test("[P27] a waiting response is canceled, read again and deleted; others are 404", async () => {
    const q = await send({ model: "asker", input: "go" })
    for (let i = 0; i < 2; i++)
      expect(await t.ask("POST", `/v1/responses/${q.id}/cancel`)).toMatchObject({ id: `${q.id}_2`, status: "cancelled" })
    expect(await t.ask("GET", `/v1/responses/${q.id}`)).toMatchObject({ status: "completed", output: q.output })
    expect((await t.raw("GET", `/v1/responses/${q.id}_3`)).status).toBe(404)
    const other = await tenant("responses-other")
    for (const method of ["GET", "DELETE"]) expect((await other.raw(method, `/v1/responses/${q.id}`)).status).toBe(404)
    expect(await t.ask("DELETE", `/v1/responses/${q.id}_2`)).toEqual({ id: `${q.id}_2`, object: "response", deleted: true })
    expect((await t.raw("GET", `/v1/responses/${q.id}`)).status).toBe(404)
  })

  test("[P8] [P27] a key is one run, and its stream is read from any number", async () => {
    const headers = { "idempotency-key": "k1" }
    const first = await send({ model: "plain", input: "go", conversation: "k" }, 200, t, headers)
    const r = await t.raw("POST", "/v1/responses", { model: "plain", input: "go", conversation: "k", stream: true }, headers)
    expect(r.headers.get("idempotent-replayed")).toBe("true")
    const all = await numbers(r)
    expect(all).toEqual(all.map((_, i) => i))
    expect(await t.ask("GET", `/v1/responses/${first.id}`)).toMatchObject({ output: first.output })
    for (const n of [0, 3, all.length - 1]) {
      const rest = await t.raw("GET", `/v1/responses/${first.id}?stream=true&starting_after=${n}&include_obfuscation=false`)
      expect(await numbers(rest)).toEqual(all.slice(n + 1))
    }
    expect((await t.raw("GET", `/v1/responses/${first.id}?stream=true&starting_after=-1`)).status).toBe(400)
  })

  test("[H4] [P8] a key with another body is refused, and starts nothing", async () => {
    const headers = { "idempotency-key": "k2" }
    const body = { model: "plain", messages: [{ role: "user", content: "go" }], sluice: { thread: "k2" } }
    const ask = (more: object) => t.raw("POST", "/v1/chat/completions", { ...body, ...more }, headers)
    const idOf = async (r: Response): Promise<unknown> => ((await r.json()) as { id: unknown }).id
    const first = await ask({})
    expect([first.status, first.headers.get("idempotent-replayed")]).toEqual([200, null])
    const again = await ask({ stream: false })
    expect([again.status, again.headers.get("idempotent-replayed"), await idOf(again)]).toEqual([200, "true", await idOf(first)])
    const other = await ask({ messages: [{ role: "user", content: "stop" }] })
    expect([other.status, await other.json()]).toMatchObject([422, { error: { code: "idempotency_mismatch" } }])
    const door = await t.raw("POST", "/v1/responses", { model: "plain", input: "go", conversation: "k2" }, headers)
    expect(door.status).toBe(422)
    expect((await t.ask<{ data: unknown[] }>("GET", "/v1/runs?thread=k2")).data).toHaveLength(1)
  })
})

async function numbers(r: Response): Promise<number[]> {
  expect(r.headers.get("content-type")).toContain("text/event-stream")
  return [...(await r.text()).matchAll(/^data: (.*)$/gm)].map(
    ([, line = ""]) => (JSON.parse(line) as { sequence_number: number }).sequence_number,
  )
}
