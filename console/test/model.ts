// A model on loopback that plays scenes: the task names one, and each turn of the conversation is the scene's next. A turn may wait at a gate
// until the test opens it, so that a page is reloaded or stopped in the middle without a clock.

import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"

export interface Turn {
  readonly text?: string
  readonly calls?: readonly { readonly tool: string; readonly args: object }[]
  /** A gate of this name is waited for, before anything is said or after the text. */
  readonly gate?: string
  /** The status of a failed request. */
  readonly fails?: number
}

export interface Model {
  readonly url: string
  /** Requests that each scene has had. */
  readonly asked: Map<string, number>
  /** Whether a turn stands at the gate. */
  arrived(gate: string): Promise<void>
  open(gate: string): void
  close(): Promise<void>
}

const WORD = /scene:([a-z-]+)/g

export async function startModel(scenes: Readonly<Record<string, readonly Turn[]>>): Promise<Model> {
  const gates = new Map<string, { arrive(): void; arrived: Promise<void>; open(): void; opened: Promise<void> }>()
  const gate = (name: string) => {
    const known = gates.get(name)
    if (known) return known
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
    const { promise: opened, resolve: open } = Promise.withResolvers<void>()
    const made = { arrive, arrived, open, opened }
    gates.set(name, made)
    return made
  }
  const asked = new Map<string, number>()
  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (incoming.method === "GET") {
      response.writeHead(200, { "content-type": "application/json" })
      response.end(JSON.stringify({ data: [{ id: "m" }, { id: "n" }] }))
      return
    }
    let body = ""
    for await (const chunk of incoming.setEncoding("utf8")) body += String(chunk)
    const { model, messages, tools = [] } = JSON.parse(body) as Request
    const words = messages.filter(({ role }) => role === "user").flatMap((m) => [...textOf(m).matchAll(WORD)].map(([, word]) => word ?? ""))
    // A model that is named like a scene plays it, whatever the task says.
    const scene = Object.hasOwn(scenes, model) ? model : (words.at(-1) ?? "")
    asked.set(scene, (asked.get(scene) ?? 0) + 1)
    const turn = scenes[scene]?.[messages.filter(({ role }) => role === "assistant").length] ?? {
      calls: [finish(`No turn is left of the scene ${scene}.`)],
    }
    if (turn.fails !== undefined) {
      response.writeHead(turn.fails, { "content-type": "application/json" })
      response.end(JSON.stringify({ error: { message: "the model said no", type: "invalid_request_error" } }))
      return
    }
    response.writeHead(200, { "content-type": "text/event-stream" })
    const write = (delta: object, reason: string | null = null, more: object = {}): void => {
      const chunk = {
        id: "c",
        object: "chat.completion.chunk",
        created: 1,
        model,
        choices: [{ index: 0, delta, finish_reason: reason }],
        ...more,
      }
      response.write(`data: ${JSON.stringify(chunk)}\n\n`)
    }
    write({ role: "assistant", content: turn.text ?? "" })
    if (turn.gate !== undefined) {
      gate(turn.gate).arrive()
      await Promise.race([gate(turn.gate).opened, once(response, "close")])
    }
    for (const [index, { tool, args }] of (turn.calls ?? []).entries()) {
      const wire = tool.replaceAll(/[^A-Za-z0-9_-]/g, "_")
      const name = tools.some(({ function: { name: offered } }) => offered === wire) ? wire : tool
      write({
        tool_calls: [
          { index, id: `call-${messages.length}-${index}`, type: "function", function: { name, arguments: JSON.stringify(args) } },
        ],
      })
    }
    write({}, (turn.calls ?? []).length > 0 ? "tool_calls" : "stop", {
      usage: { prompt_tokens: 900, completion_tokens: 60, total_tokens: 960 },
    })
    response.end("data: [DONE]\n\n")
  }
  const server = createServer((incoming, response) => void serve(incoming, response).catch(() => response.destroy()))
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/v1`,
    asked,
    // A scene that never comes to its gate is a failed check and not a suite that hangs.
    arrived: async (name) => inTime(gate(name).arrived, name),
    open: (name) => gate(name).open(),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}

export const finish = (answer: string) => ({ tool: "finish", args: { status: "complete", summary: answer } })

interface Request {
  readonly model: string
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[]
  readonly tools?: readonly { readonly function: { readonly name: string } }[]
}

function textOf({ content }: { readonly content?: unknown }): string {
  if (typeof content === "string") return content
  return Array.isArray(content)
    ? content.map((part: { readonly text?: unknown }) => (typeof part.text === "string" ? part.text : "")).join("")
    : ""
}

const PATIENCE_MS = 60_000

function inTime(arrived: Promise<void>, name: string): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`no scene came to the gate ${name}`)), PATIENCE_MS)
  return Promise.race([arrived, late]).finally(() => clearTimeout(timer))
}
