// The official clients, each through one flow: text, a tool, a question, an approval; a reload while the run waits; and a run that is canceled at its
// question. Each driver gives the ids of its two runs. In JavaScript, because `npm run check` must not need these packages.

import { randomUUID } from "node:crypto"
import {
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from "@a2a-js/sdk/client"
import { HttpAgent } from "@ag-ui/client"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import OpenAI from "openai"

const must = (truth, what) => {
  if (!truth) throw new Error(what)
  return truth
}
const cancelRun = async ({ url, key }, run) => {
  const r = await fetch(`${url}/v1/runs/${run}/cancel`, { method: "POST", headers: { authorization: `Bearer ${key}` } })
  must(r.ok, `cancel: ${r.status} ${await r.text()}`)
}
const openai = ({ url, key }) => new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 })

/** The API itself, as the others are compared with it. */
export async function rest({ url, key, flow, task }) {
  const call = async (method, path, body, headers = {}) => {
    const r = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    must(r.ok, `${method} ${path}: ${r.status}`)
    return r.json()
  }
  const begin = () => call("POST", `/v1/flows/${flow}/runs`, { task }, { prefer: "wait=60" })
  const pending = async (run) => {
    for (let n = 0; n < 600; n++) {
      const { data } = await call("GET", `/v1/runs/${run}/interactions?status=pending`)
      if (data.length > 0) return data[0]
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
    throw new Error("the run asks nothing")
  }
  const { id } = await begin()
  await call("POST", `/v1/runs/${id}/interactions/${(await pending(id)).id}`, { answer: "red" })
  const approval = await pending(id)
  await call("POST", `/v1/runs/${id}/interactions/${approval.id}`, { decision: "approve", hash: approval.payload.hash })
  const canceled = (await begin()).id
  await cancelRun({ url, key }, canceled)
  return { done: id, canceled }
}

const chat = (stream) => async (at) => {
  const client = openai(at)
  const messages = []
  const sluice = { thread: randomUUID() }
  const say = async (content, thread = sluice, said = messages) => {
    said.push({ role: "user", content })
    const body = { model: at.flow, messages: said, sluice: thread }
    let answer
    if (stream) {
      const runner = client.chat.completions.stream({ ...body, stream_options: { include_usage: true } })
      let run
      runner.on("chunk", (chunk) => (run ??= chunk.sluice?.run))
      const whole = await runner.finalChatCompletion()
      must(whole.usage?.total_tokens === whole.usage?.prompt_tokens + whole.usage?.completion_tokens, "the usage does not add up")
      answer = { text: whole.choices[0].message.content, run }
    } else {
      const whole = await client.chat.completions.create(body)
      answer = { text: whole.choices[0].message.content, run: whole.sluice.run }
    }
    said.push({ role: "assistant", content: answer.text })
    return answer
  }
  const first = await say(at.task)
  must(/Which\?/.test(first.text), `no question: ${first.text}`)
  // A page that is loaded again says nothing new: it is asked again.
  must(/Which\?/.test((await say("?")).text), "not asked again")
  must(/May write be called/.test((await say("red")).text), "no approval")
  const end = await say("approve")
  must(end.text === "written", `another answer: ${end.text}`)
  const other = await say(at.task, { thread: randomUUID() }, [])
  await cancelRun(at, other.run)
  return { done: first.run, canceled: other.run }
}
export const chatWhole = chat(false)
export const chatStreamed = chat(true)

const responses = (stream) => async (at) => {
  const client = openai(at)
  const send = async (body) => {
    if (!stream) return client.responses.create({ model: at.flow, ...body })
    return client.responses.stream({ model: at.flow, ...body }).finalResponse()
  }
  const first = await send({ input: at.task, metadata: { made: "by hand" } })
  const question = must(
    first.output.find(({ type }) => type === "function_call"),
    "no question",
  )
  const again = await client.responses.retrieve(first.id)
  must(again.output.some(({ id }) => id === question.id) && again.metadata.made === "by hand", "another response when read again")
  const second = await send({
    previous_response_id: first.id,
    input: [{ type: "function_call_output", call_id: question.call_id, output: "red" }],
  })
  const request = must(
    second.output.find(({ type }) => type === "mcp_approval_request"),
    "no approval",
  )
  const reload = []
  for await (const event of await client.responses.retrieve(second.id, { stream: true })) reload.push(event.type)
  must(reload.at(0) === "response.created" && reload.at(-1) === "response.completed", `reload: ${reload.join()}`)
  const answer = { type: "mcp_approval_response", approval_request_id: request.id, approve: true }
  const end = await send({ previous_response_id: second.id, input: [answer] })
  must(end.output_text === "written", `another answer: ${end.output_text}`)
  const other = await send({ input: at.task })
  const canceled = await client.responses.cancel(other.id)
  must(canceled.status === "cancelled", `canceled: ${canceled.status}`)
  return { done: first.sluice.run, canceled: other.sluice.run }
}
export const responsesWhole = responses(false)
export const responsesStreamed = responses(true)

const a2a =
  (binding) =>
  async ({ url, key, flow, task }) => {
    const fetchImpl = (input, init = {}) => {
      const headers = new Headers(init.headers ?? (input instanceof Request ? input.headers : undefined))
      headers.set("authorization", `Bearer ${key}`)
      return fetch(input, { ...init, headers })
    }
    const factory = new ClientFactory(
      ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
        preferredTransports: [binding],
        transports: [new JsonRpcTransportFactory({ fetchImpl }), new RestTransportFactory({ fetchImpl })],
        cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
      }),
    )
    const client = await factory.createFromUrl(`${url}/a2a/${flow}/`)
    const message = (parts, more = {}) => ({
      tenant: "",
      metadata: undefined,
      configuration: undefined,
      message: {
        messageId: randomUUID(),
        role: 1,
        parts,
        contextId: "",
        taskId: "",
        extensions: [],
        referenceTaskIds: [],
        metadata: undefined,
        ...more,
      },
    })
    const text = (value) => ({ content: { $case: "text", value }, filename: "", mediaType: "", metadata: undefined })
    const data = (value) => ({ content: { $case: "data", value }, filename: "", mediaType: "", metadata: undefined })
    const seen = []
    for await (const item of client.sendMessageStream(message([text(task)]))) seen.push(item)
    const first = must(seen[0]?.payload?.$case === "task" && seen[0].payload.value, `the stream begins with ${JSON.stringify(seen[0])}`)
    const now = await client.getTask({ tenant: "", id: first.id })
    must(now.status.state === 6, `not INPUT_REQUIRED: ${now.status.state}`)
    // A reload: the client subscribes to a task that waits.
    const again = []
    for await (const item of client.resubscribeTask({ tenant: "", id: first.id })) again.push(item)
    must(again[0]?.payload?.$case === "task", "a subscription begins with the task")
    await client.sendMessage(message([text("red")], { taskId: first.id }))
    const asks = await client.getTask({ tenant: "", id: first.id })
    const open = asks.status.message.parts.map(({ content }) => content).find(({ $case }) => $case === "data").value.interactions[0]
    await client.sendMessage(message([data({ interaction: open.id, decision: "approve", hash: open.payload.hash })], { taskId: first.id }))
    const end = await client.getTask({ tenant: "", id: first.id })
    must(end.status.state === 3, `not COMPLETED: ${end.status.state}`)
    must(
      end.artifacts.some(({ artifactId, parts }) => artifactId === "answer" && parts[0].content.value === "written"),
      "another answer",
    )
    let other
    for await (const item of client.sendMessageStream(message([text(task)]))) other ??= item.payload.value.id
    const canceled = await client.cancelTask({ tenant: "", id: other, metadata: undefined })
    must(canceled.status.state === 5, `not CANCELED: ${canceled.status.state}`)
    return { done: first.id, canceled: other }
  }
export const a2aJsonRpc = a2a("JSONRPC")
export const a2aRest = a2a("HTTP+JSON")

export async function agui(at) {
  const { url, key, flow, task } = at
  const make = (threadId) => new HttpAgent({ url: `${url}/v1/flows/${flow}/agui`, headers: { authorization: `Bearer ${key}` }, threadId })
  const watched = async (agent, input) => {
    const events = []
    await agent.runAgent(input, { onEvent: ({ event }) => void events.push(event) })
    return events
  }
  const threadId = randomUUID()
  const agent = make(threadId)
  agent.addMessage({ id: randomUUID(), role: "user", content: task })
  const first = await watched(agent, { runId: randomUUID() })
  const run = first[0].metadata.sluice.run
  const [question] = first.at(-1).outcome.interrupts
  // A reload: another agent object on the same thread.
  const second = await watched(make(threadId), {
    runId: randomUUID(),
    resume: [{ interruptId: question.id, status: "resolved", payload: "red" }],
  })
  const [approval] = second.at(-1).outcome.interrupts
  const third = await watched(make(threadId), {
    runId: randomUUID(),
    resume: [{ interruptId: approval.id, status: "resolved", payload: { approved: true } }],
  })
  must(
    third.some(({ type, delta }) => type === "TEXT_MESSAGE_CONTENT" && delta === "written"),
    "another answer",
  )
  const other = make(randomUUID())
  other.addMessage({ id: randomUUID(), role: "user", content: task })
  const [started] = await watched(other, { runId: randomUUID() })
  await cancelRun(at, started.metadata.sluice.run)
  return { done: run, canceled: started.metadata.sluice.run }
}

export async function mcp(at) {
  const { url, key, flow, task } = at
  const connect = async (answers) => {
    const client = new Client({ name: "protocols", version: "1" }, { capabilities: { elicitation: { form: {} } } })
    client.setRequestHandler("elicitation/create", async ({ params }) => answers(params))
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers: { authorization: `Bearer ${key}` } } }),
    )
    return client
  }
  const asked = []
  const client = await connect(({ message, requestedSchema }) => {
    asked.push(message)
    const name = Object.keys(requestedSchema.properties)[0]
    return { action: "accept", content: { [name]: "decision" in requestedSchema.properties ? "approve" : "red" } }
  })
  const end = await client.callTool({ name: `flow_${flow}`, arguments: { task } })
  must(
    end.content[0].text === "written" && asked.length === 2,
    `${JSON.stringify(end)} after ${asked.length} questions: ${asked.join(" | ")}`,
  )
  await client.close()
  // A client that cannot ask is told that the run waits.
  const mute = new Client({ name: "mute", version: "1" })
  await mute.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers: { authorization: `Bearer ${key}` } } }),
  )
  const waiting = await mute.callTool({ name: `flow_${flow}`, arguments: { task } })
  must(waiting.structuredContent.status === "waiting", `not waiting: ${JSON.stringify(waiting)}`)
  await mute.close()
  await cancelRun(at, waiting.structuredContent.run)
  return { done: end.structuredContent.run, canceled: waiting.structuredContent.run }
}
