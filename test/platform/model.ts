// A model on loopback, Chat Completions with a stream: it answers after a pause, and what it answers depends on the request alone.
//
// It calls `write` until it has written as often as its name says (`writes-500`), or writes files with one command (`files-990`), and then finishes; in a loop it goes on as long as it may.

import { createServer, type IncomingMessage } from "node:http"
import { z } from "zod"

const Asked = z.object({
  model: z.string(),
  messages: z.array(z.object({ role: z.string() })),
  tools: z.array(z.object({ function: z.object({ name: z.string(), parameters: z.unknown() }) })).default([]),
})

export interface LoopbackModel {
  readonly baseUrl: string
  readonly host: string
  close(): void
}

export async function loopbackModel(pause: number): Promise<LoopbackModel> {
  const server = createServer((request, response) => {
    void answered(request).then((text) =>
      setTimeout(() => {
        response.writeHead(200, { "content-type": "text/event-stream" })
        response.end(text)
      }, pause),
    )
  })
  await new Promise<void>((up) => server.listen(0, "127.0.0.1", up))
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("the model has no port")
  const host = `127.0.0.1:${address.port}`
  return { baseUrl: `http://${host}/v1`, host, close: () => void server.close() }
}

async function answered(request: IncomingMessage): Promise<string> {
  let body = ""
  for await (const part of request) body += String(part)
  const asked = Asked.parse(JSON.parse(body))
  const turns = asked.messages.filter(({ role }) => role === "assistant").length
  const writes = Number(/^writes-(\d+)$/.exec(asked.model)?.[1] ?? 0)
  const files = Number(/^files-(\d+)$/.exec(asked.model)?.[1] ?? 0)
  if (turns === 0 && files > 0) return calling("bash", { command: `for i in $(seq 1 ${files}); do echo file $i > f$i.txt; done` })
  return turns < writes ? calling("write", { path: `${turns % 50}.txt`, content: `turn ${turns}` }) : calling("finish", finish(asked))
}

const Branching = z.object({ properties: z.object({ branch: z.object({ enum: z.array(z.string()) }) }) })

function finish({ tools }: z.infer<typeof Asked>): object {
  const tool = tools.find((one) => one.function.name === "finish")
  const branching = Branching.safeParse(tool?.function.parameters)
  return {
    status: "complete",
    summary: "done",
    ...(branching.success ? { branch: branching.data.properties.branch.enum.find((label) => label !== "exit") ?? "exit" } : {}),
  }
}

function calling(name: string, args: object): string {
  const call = { index: 0, id: `call_${name}`, type: "function", function: { name, arguments: JSON.stringify(args) } }
  return `${chunk({ delta: { role: "assistant", tool_calls: [call] } })}${chunk({ delta: {}, finish_reason: "tool_calls" }, { usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } })}data: [DONE]\n\n`
}

const chunk = (choice: object, more: object = {}): string =>
  `data: ${JSON.stringify({ id: "c1", created: 1, model: "m", object: "chat.completion.chunk", choices: [{ index: 0, ...choice }], ...more })}\n\n`
