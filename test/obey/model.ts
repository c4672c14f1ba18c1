// The obeying model: an OpenAI-compatible server on loopback that does whatever any text in its prompt says, whoever wrote it. It reads the
// system prompt, the task, tool results and the descriptions of tools alike, obeys each order once in a conversation, and then finishes.
//
// A guard that holds against this model does not depend on a model's judgment.

import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { z } from "zod"
import type { Json, JsonObject } from "../../src/core/json.ts"
import { WORD, type Orders } from "./orders.ts"

const Content = z.union([z.string(), z.null(), z.array(z.looseObject({ text: z.string().optional() }))]).optional()
const Message = z.looseObject({ role: z.string(), content: Content })
const Body = z.looseObject({
  model: z.string(),
  messages: z.array(Message),
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string(), description: z.string().optional() }) })).optional(),
})
type Asked = z.infer<typeof Body>

interface Reply {
  readonly text: string
  readonly calls: readonly { readonly name: string; readonly args: JsonObject }[]
}

/** A model of this name refuses its tenth request of a conversation once, as if it were too long: the session is then compacted [J23]. */
export const NARROW = "narrow"
const NARROW_REPLIES = 9
export const PRIVATE = /private[0-9a-f]{12}/

export async function startModel(orders: Orders): Promise<{ readonly url: string; readonly strange: string[]; close(): Promise<void> }> {
  const strange: string[] = []
  const server = createServer((incoming, response) => {
    serve(orders, incoming, response).catch((error: unknown) => {
      if (incoming.complete) strange.push(error instanceof Error ? error.message : String(error))
      response.destroy()
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/v1`,
    strange,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}

async function serve(orders: Orders, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  let text = ""
  for await (const chunk of incoming.setEncoding("utf8")) text += String(chunk)
  const asked = Body.parse(JSON.parse(text))
  const read = wordsIn(asked)
  for (const word of read) orders.seen.add(word)
  if (asked.model === NARROW && asked.messages.filter((m) => m.role === "assistant").length === NARROW_REPLIES) {
    response.writeHead(400, { "content-type": "application/json" })
    response.end(JSON.stringify({ error: { message: "maximum context length exceeded", type: "context_length_exceeded" } }))
    return
  }
  const reply = asked.tools === undefined ? summaryOf(orders, asked, read) : replyTo(orders, asked, read)
  response.writeHead(200, { "content-type": "text/event-stream" })
  for (const chunk of chunksOf(asked, reply)) response.write(`data: ${JSON.stringify(chunk)}\n\n`)
  response.end("data: [DONE]\n\n")
}

/** In the order in which they appear; the model's own words are no orders. */
function wordsIn({ messages, tools = [] }: Asked): string[] {
  const texts = [
    ...tools.map((t) => `${t.function.name} ${t.function.description ?? ""}`),
    ...messages.filter((m) => m.role !== "assistant").map(textOf),
  ]
  return [...new Set(texts.flatMap((text) => text.match(WORD) ?? []))]
}

function replyTo(orders: Orders, asked: Asked, read: readonly string[]): Reply {
  const own = doneIn(asked)
  let finish: JsonObject = {}
  for (const word of read) {
    const order = orders.meaning(word)
    if (!order) continue
    const turn = order.turns.findIndex((_, n) => !own.includes(`[${word}.${n}]`))
    const calls = order.turns[turn]
    if (calls)
      return {
        text: `[${word}.${turn}]`,
        calls: calls.map(({ tool, args }) => ({ name: wireName(asked, tool), args: filled(asked, args) })),
      }
    finish = { ...finish, ...order.finish }
  }
  return { text: "", calls: [{ name: "finish", args: filled(asked, { status: "complete", summary: "done", ...finish }) }] }
}

const summaryOf = (orders: Orders, asked: Asked, read: readonly string[]): Reply => ({
  text: `It was said: ${read.map((word) => orders.meaning(word)?.summary ?? word).join(" ")} ${doneIn(asked).join(" ")}`,
  calls: [],
})

/** The turns of orders that were done: the model notes each in its reply, and in a summary. */
const doneIn = ({ messages }: Asked): string[] => messages.flatMap((m) => textOf(m).match(/\[obey[0-9a-f]{8}x\.\d+\]/g) ?? [])

/** The name as this request has it [T4]; a tool that is not offered is called all the same. */
function wireName({ tools = [] }: Asked, tool: string): string {
  const wire = tool.replace(/[^A-Za-z0-9_-]/g, "_")
  return tools.some((t) => t.function.name === wire) ? wire : tool
}

const privateIn = ({ messages }: Asked): string => PRIVATE.exec(messages.map(textOf).join("\n"))?.[0] ?? "nothing"
const handleIn = ({ messages }: Asked): string => /read_output \{"handle": "([^"]+)"/.exec(messages.map(textOf).join("\n"))?.[1] ?? "none"

function filled(asked: Asked, args: JsonObject): JsonObject {
  const [own, handle] = [privateIn(asked), handleIn(asked)]
  const inside = (value: Json): Json => {
    if (typeof value === "string") return value.replaceAll("{{PRIVATE}}", own).replaceAll("{{HANDLE}}", handle)
    if (Array.isArray(value)) return value.map(inside)
    return typeof value === "object" && value !== null ? object(value as JsonObject) : value
  }
  const object = (it: JsonObject): JsonObject => Object.fromEntries(Object.entries(it).map(([key, value]) => [key, inside(value)]))
  return object(args)
}

const textOf = ({ content }: z.infer<typeof Message>): string =>
  typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("")

let replies = 0

function chunksOf({ model }: Asked, { text, calls }: Reply): object[] {
  const id = `reply-${++replies}`
  const chunk = (delta: object, reason: string | null = null, more: object = {}): object => ({
    id,
    object: "chat.completion.chunk",
    created: 1_700_000_000,
    model,
    choices: [{ index: 0, delta, finish_reason: reason }],
    ...more,
  })
  return [
    chunk({ role: "assistant", content: text }),
    ...calls.map(({ name, args }, index) =>
      chunk({ tool_calls: [{ index, id: `${id}-${index}`, type: "function", function: { name, arguments: JSON.stringify(args) } }] }),
    ),
    chunk({}, calls.length > 0 ? "tool_calls" : "stop", {
      usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
    }),
  ]
}
