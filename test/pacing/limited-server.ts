// Answers chat completions on loopback within a minute's requests and tokens, to the call, and keeps a book of every request [R24–R31].

import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { z } from "zod"

const Message = z.looseObject({ role: z.string(), content: z.unknown() })
const Body = z.looseObject({ messages: z.array(Message) })

export interface Limits {
  readonly requests: number
  readonly tokens: number
  /** Says in its headers how its limits stand. */
  readonly tells: boolean
}

export interface Asked {
  readonly at: number
  readonly status: number
  /** What stands in the request after "family" and "run". */
  readonly family: string
  readonly run: string
}

export interface LimitedServer {
  readonly url: string
  readonly asked: readonly Asked[]
  close(): Promise<void>
}

const MINUTE_MS = 60_000
const ANSWERS_AFTER_MS = 300

export async function startLimited(limits: Limits): Promise<LimitedServer> {
  const asked: Asked[] = []
  const left = { requests: limits.requests, tokens: limits.tokens }
  let filled = Date.now()

  const headers = (): Record<string, string> =>
    limits.tells
      ? Object.fromEntries(
          (["requests", "tokens"] as const).flatMap((unit) => [
            [`x-ratelimit-limit-${unit}`, String(limits[unit])],
            [`x-ratelimit-remaining-${unit}`, String(Math.floor(left[unit]))],
            [`x-ratelimit-reset-${unit}`, `${(((limits[unit] - Math.floor(left[unit])) / limits[unit]) * 60).toFixed(3)}s`],
          ]),
        )
      : {}

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = ""
    for await (const chunk of incoming.setEncoding("utf8")) text += String(chunk)
    const said = JSON.stringify(Body.parse(JSON.parse(text)).messages)
    const at = Date.now()
    for (const unit of ["requests", "tokens"] as const)
      left[unit] = Math.min(limits[unit], left[unit] + (limits[unit] * (at - filled)) / MINUTE_MS)
    filled = at
    const input = Math.ceil(text.length / 4)
    const output = 50 + (asked.length % 7) * 40
    const isTaken = left.requests >= 1 && left.tokens >= input + output
    if (isTaken) {
      left.requests -= 1
      left.tokens -= input + output
    }
    const named = (of: string): string => new RegExp(`${of}-(\\w+)`).exec(said)?.[1] ?? ""
    asked.push({ at, status: isTaken ? 200 : 429, family: named("family"), run: named("run") })
    if (!isTaken) {
      response.writeHead(429, { "content-type": "application/json", ...headers() })
      response.end(JSON.stringify({ error: { message: "slow down", type: "rate_limit" } }))
      return
    }
    response.writeHead(200, { "content-type": "text/event-stream", ...headers() })
    await new Promise((wake) => setTimeout(wake, ANSWERS_AFTER_MS))
    response.end(replyOf({ prompt_tokens: input, completion_tokens: output, total_tokens: input + output }))
  }

  const server = createServer((incoming, response) => void serve(incoming, response).catch(() => response.destroy()))
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    asked,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}

const chunk = (more: object): string =>
  `data: ${JSON.stringify({ id: "x", created: 1, model: "m", object: "chat.completion.chunk", ...more })}\n\n`
const FINISH = { name: "finish", arguments: JSON.stringify({ status: "complete", summary: "done" }) }
const replyOf = (usage: object): string =>
  [
    chunk({
      choices: [
        {
          index: 0,
          delta: { role: "assistant", tool_calls: [{ index: 0, id: "c1", type: "function", function: FINISH }] },
          finish_reason: null,
        },
      ],
    }),
    chunk({ choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] }),
    chunk({ choices: [], usage }),
    "data: [DONE]\n\n",
  ].join("")
