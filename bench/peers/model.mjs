// A model server that answers at once: OpenAI's chat completions, as JSON or as a stream. To a message of the user it answers with one call of
// the tool `write`; to a tool's result it finishes, with the tool `finish` where there is one (Sluice), or with a text.

import { createServer } from "node:http"
import { ready } from "./serve.mjs"

// LangChain takes messages with the same id for the same message.
let count = 0

const server = createServer((request, response) => {
  const parts = []
  request.on("data", (part) => parts.push(part))
  request.once("end", () => {
    const { messages, tools = [], stream } = JSON.parse(Buffer.concat(parts).toString())
    const message = replyTo(messages, new Set(tools.map((tool) => tool.function.name)))
    const reason = message.tool_calls === undefined ? "stop" : "tool_calls"
    const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 }
    const base = { id: `chatcmpl-${++count}`, created: 1_700_000_000, model: "peer" }
    if (stream !== true) {
      const body = { ...base, object: "chat.completion", choices: [{ index: 0, finish_reason: reason, message }], usage }
      response.setHeader("content-type", "application/json").end(JSON.stringify(body))
      return
    }
    const { tool_calls: calls, ...said } = message
    const delta = calls === undefined ? said : { ...said, tool_calls: calls.map((call, index) => ({ index, ...call })) }
    const chunk = (choice, more) => `data: ${JSON.stringify({ ...base, object: "chat.completion.chunk", choices: [choice], ...more })}\n\n`
    response.setHeader("content-type", "text/event-stream")
    response.write(chunk({ index: 0, delta, finish_reason: null }))
    response.end(`${chunk({ index: 0, delta: {}, finish_reason: reason }, { usage })}data: [DONE]\n\n`)
  })
})
server.listen(0, "127.0.0.1", () => ready(`http://127.0.0.1:${server.address().port}/v1`))

function replyTo(messages, tools) {
  const call = (name, args) => ({
    role: "assistant",
    content: null,
    tool_calls: [{ id: `call_${++count}`, type: "function", function: { name, arguments: JSON.stringify(args) } }],
  })
  if (messages.at(-1)?.role !== "tool" && tools.has("write")) return call("write", { path: "notes.md", content: "A line of notes.\n" })
  if (tools.has("finish")) return call("finish", { status: "complete", summary: "ok", files: [] })
  return { role: "assistant", content: "ok" }
}
