// A client that disconnects at any frame loses nothing [P5, P8, J12]: the run goes on, and who comes back hears what the uncut client heard. And the
// requests that an OpenAI-compatible chat page makes, one after the other: all are answered.

import { beforeAll, describe, expect, test } from "vitest"
import { tenant, type Tenant } from "../../support/worker/service-client.ts"

type Loose = Readonly<Record<string, unknown>>

let t: Tenant
let n = 0
const fresh = (): string => `k${n++}`

beforeAll(async () => {
  t = await tenant("cutoff")
  await t.ask("PUT", "/v1/settings/providers/sc", {
    kind: "scripted",
    turns: {
      asker: [
        { text: "Let me look at it.", calls: [{ tool: "ls", args: {} }] },
        { calls: [{ tool: "ask_user", args: { question: "Which?", type: "select", options: ["red", "blue"] } }] },
        { finish: { status: "complete", summary: "painted" } },
      ],
      plain: [{ text: "hm", finish: { status: "complete", summary: "done" } }],
    },
  })
  const agent = (name: string) => `---\nname: ${name}\ndescription: d\nmodel: sc/${name}\ntools: ask_user, ls\n---\nDo it. \${{task}}\n`
  const flow = (name: string) => `name: ${name}\ndescription: d\nautonomous: false\nsteps:\n  - { id: a, type: agent, agent: ${name} }\n`
  await t.ask("PUT", "/v1/catalog", {
    agents: { "asker.md": agent("asker"), "plain.md": agent("plain") },
    flows: { "asker.yaml": flow("asker"), "plain.yaml": flow("plain") },
  })
})

/** Frames of a stream, at most `most` of them: then the client is gone. */
async function read(r: Response, most = Number.POSITIVE_INFINITY): Promise<string[]> {
  if (!r.body || r.status !== 200) throw new Error(`${r.status} ${await r.text()}`)
  const reader = r.body.pipeThrough(new TextDecoderStream()).getReader()
  const frames: string[] = []
  for (let rest = ""; frames.length < most;) {
    const { done, value } = await reader.read()
    if (done) return frames
    const blocks = (rest + value).split("\n\n")
    rest = blocks.pop() ?? ""
    for (const block of blocks) {
      const data = block.split("\n").find((line) => line.startsWith("data: "))
      if (data && frames.length < most) frames.push(data.slice(6))
    }
  }
  await reader.cancel()
  return frames
}

/** Without what each run has of its own: ids and times, signed links. */
const even = (frames: readonly string[]): string[] =>
  frames.map((frame) =>
    frame
      .replaceAll(/run_[0-9a-z]{26,32}/g, "RUN")
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
      .replaceAll(/"(timestamp|created|created_at)":\d+/g, "$1")
      .replaceAll(/\/i\/[\w.~-]+/g, "LINK")
      .replaceAll(/k\d+/g, "KEY")
      // How the run was when the answer began.
      .replaceAll(/"status":"(?:running|waiting)"/g, "STATUS"),
  )

const V = { "a2a-version": "1.0" }
const say = { role: "user", content: "go" }
interface Door {
  readonly first: (id: string) => Promise<Response>
  /** How the client comes back; `had`: the frames that it has heard. */
  readonly again: (id: string, had: readonly string[]) => Promise<Response>
  /** What comes back is the rest, and not the whole. */
  readonly isRest?: true
}
const chat = (id: string) =>
  t.raw(
    "POST",
    "/v1/chat/completions",
    { model: "asker", messages: [say], stream: true, sluice: { thread: id } },
    { "idempotency-key": id },
  )
const agui = (id: string) => t.raw("POST", "/v1/flows/asker/agui", { threadId: id, runId: id, messages: [{ id, ...say }] })
const a2a = (id: string) =>
  t.raw("POST", "/a2a/asker/message:stream", { message: { messageId: id, contextId: id, role: "ROLE_USER", parts: [{ text: "go" }] } }, V)
const DOORS: Readonly<Record<string, Door>> = {
  chat: { first: chat, again: chat },
  agui: { first: agui, again: agui },
  a2a: { first: a2a, again: a2a },
  ui: {
    first: (id) => t.raw("POST", "/v1/flows/asker/chat", { id, messages: [{ id, role: "user", parts: [{ type: "text", text: "go" }] }] }),
    again: (id) => t.raw("GET", `/v1/flows/asker/chat/${id}/stream`),
  },
  responses: {
    first: (id) => t.raw("POST", "/v1/responses", { model: "asker", input: "go", stream: true, conversation: id }),
    again: async (_, had) => {
      const [{ response } = { response: { id: "" } }] = had.map((frame) => JSON.parse(frame) as { response: { id: string } })
      const { sequence_number: last } = JSON.parse(had.at(-1) ?? "{}") as { sequence_number: number }
      return t.raw("GET", `/v1/responses/${response.id}?stream=true&starting_after=${last}`)
    },
    isRest: true,
  },
}

describe("a client that disconnects", () => {
  test.each(Object.keys(DOORS))("[P8] %s: at every frame, and loses nothing", async (name) => {
    const door = DOORS[name]
    if (!door) throw new Error("no such door")
    const whole = even(await read(await door.first(fresh())))
    // The question is told once.
    if (name === "chat") expect(whole.filter((frame) => frame.includes("1. red"))).toHaveLength(1)
    expect(whole.length).toBeGreaterThan(2)
    for (let cut = 1; cut < whole.length; cut++) {
      const id = fresh()
      const had = await read(await door.first(id), cut)
      const back = await read(await door.again(id, had))
      expect(even(door.isRest ? [...had, ...back] : back), `after ${cut} frames`).toEqual(whole)
    }
  })
})

describe("the log of a chat page", () => {
  test("[P10] models, a chat, its title, tags and follow-ups, a file, a regenerated answer: all are answered", async () => {
    const page = { "x-openwebui-chat-id": fresh(), "x-openwebui-user-name": "someone" }
    const models = await t.ask<{ data: { id: string }[] }>("GET", "/v1/models", undefined, page)
    expect(models.data.map(({ id }) => id)).toContain("plain")
    const extra = {
      temperature: 0.7,
      top_p: 1,
      frequency_penalty: 0,
      seed: 1,
      stop: ["x"],
      user: "u",
      metadata: { chat_id: "c" },
      session_id: "s",
    }
    const history = [
      { role: "system", content: "Be kind." },
      say,
      { role: "assistant", content: "<think>hm</think>done" },
      { role: "user", content: "again" },
    ]
    const tasks = [
      "### Task:\nGenerate a concise title",
      "### Task:\nGenerate 1-3 broad tags",
      "### Task:\nSuggest 3-5 relevant follow-up questions",
    ]
    const bodies: [object, Record<string, string>][] = [
      [{ messages: [say], stream: true, stream_options: { include_usage: true } }, page],
      [{ messages: history, stream: true }, page],
      // Titles and the like come without the chat's header, and are not streamed.
      ...tasks.map((content): [object, Record<string, string>] => [
        { messages: [{ role: "user", content }], stream: false, max_completion_tokens: 1000 },
        {},
      ]),
      [
        {
          messages: [
            {
              role: "user",
              content: [
                { type: "text", text: "see" },
                { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=", detail: "auto" } },
              ],
            },
          ],
        },
        page,
      ],
      [
        {
          messages: history.slice(0, 2),
          tools: [{ type: "function", function: { name: "search", parameters: { type: "object" } } }],
          tool_choice: "auto",
        },
        page,
      ],
      [{ messages: [...history.slice(0, 2), { role: "assistant", content: null, tool_calls: [] }, say], parallel_tool_calls: true }, page],
    ]
    for (const [body, headers] of bodies) {
      const r = await t.raw("POST", "/v1/chat/completions", { model: "plain", ...extra, ...body }, headers)
      const text = await r.text()
      expect(r.status, `${JSON.stringify(body)}: ${text}`).toBe(200)
      expect(text).toContain("done")
      if ("stream" in body && body.stream === true) expect(text.trimEnd().endsWith("data: [DONE]")).toBe(true)
      else expect((JSON.parse(text) as { choices: Loose[] }).choices[0]).toMatchObject({ finish_reason: "stop" })
    }
  })
})
