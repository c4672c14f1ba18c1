// A model on loopback that does what its name says: `quick` finishes at once, `silent` never answers, `out` answers 503 until it is brought back,
// `dropped` holds its answers until it is told to give them. It counts what it is asked.

import { createServer, type ServerResponse } from "node:http"

export interface TrialModel {
  readonly baseUrl: string
  /** Requests for this model. */
  asked(name: string): number
  /** Whether `out` answers, and `dropped` too. */
  isBack: boolean
  close(): void
}

const chunk = (choice: object, more: object = {}): string =>
  `data: ${JSON.stringify({ id: "c1", created: 1, model: "m", object: "chat.completion.chunk", choices: [{ index: 0, ...choice }], ...more })}\n\n`
const FINISH = { name: "finish", arguments: JSON.stringify({ status: "complete", summary: "done" }) }
const DONE = `${chunk({ delta: { role: "assistant", tool_calls: [{ index: 0, id: "call_1", type: "function", function: FINISH }] } })}${chunk(
  { delta: {}, finish_reason: "tool_calls" },
  { usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } },
)}data: [DONE]\n\n`

export async function trialModel(): Promise<TrialModel> {
  const counts = new Map<string, number>()
  const state = { isBack: true }
  const answer = (name: string, response: ServerResponse): void => {
    counts.set(name, (counts.get(name) ?? 0) + 1)
    if (name === "silent" || (name === "dropped" && !state.isBack)) return
    if (name === "out" && !state.isBack) {
      response.writeHead(503, { "content-type": "application/json" })
      response.end(JSON.stringify({ error: { message: "out of service" } }))
      return
    }
    response.writeHead(200, { "content-type": "text/event-stream" })
    response.end(DONE)
  }
  const server = createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (part: string) => (body += part))
    request.on("end", () => answer(String(/"model":"([^"]*)"/.exec(body)?.[1]), response))
  })
  await new Promise<void>((up) => server.listen(0, "127.0.0.1", up))
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("the model has no port")
  return {
    baseUrl: `http://127.0.0.1:${address.port}/v1`,
    asked: (name) => counts.get(name) ?? 0,
    get isBack() {
      return state.isBack
    },
    set isBack(is) {
      state.isBack = is
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
