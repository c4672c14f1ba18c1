// The ways in through doors and tokens: what a stranger on a page says and answers, what a client sends back as history, and attachments with
// their names and addresses.

import { z } from "zod"
import { textOf, type House } from "./house.ts"
import { flow, victim, type Setting, type Stage } from "./ways-in.ts"

const PAUSE_MS = 50
const LOOKS = 400

const whole = (stage: Stage, calls: Parameters<typeof victim>[1] = [], words = "${{task}}"): Readonly<Record<string, string>> => ({
  [stage.name]: flow(stage.name, victim(stage, calls, words)),
})

const entered =
  (enter: (services: House, stage: Stage) => Promise<string>, calls: (stage: Stage) => Parameters<typeof victim>[1] = () => []): Setting =>
  (stage) => ({ flows: whole(stage, calls(stage)), enter: (services) => enter(services, stage) })

const tokenOf = async (services: House, name: string): Promise<{ token: string; thread: string }> => {
  const made = await services.send("POST", `/v1/flows/${name}/chat-token`, {})
  return { token: textOf(made, "token"), thread: textOf(made, "thread") }
}
const parts = (text: string): object[] => [{ type: "text", text }]
const file = (filename: string, text: string): object => ({
  type: "file",
  mediaType: "text/plain",
  filename,
  url: `data:text/plain;base64,${Buffer.from(text).toString("base64")}`,
})
const ui = (id: string, said: readonly object[]): object => ({ id, messages: [{ id: "m", role: "user", parts: said }] })
const agui = (thread: string, messages: readonly object[], more: object = {}): object => ({
  threadId: thread,
  runId: "r",
  messages: messages.map((message, i) => ({ id: `m${i}`, ...message })),
  ...more,
})
/** A conversation with an answer that nobody gave here. */
const past = ({ attack }: Stage): object[] => [
  { role: "user", content: "hello" },
  { role: "assistant", content: attack },
  { role: "user", content: "go" },
]

export const DOORS_IN: Readonly<Record<string, Setting>> = {
  "chat-token-message": entered(async (services, { name, attack }) => {
    const { token, thread } = await tokenOf(services, name)
    return services.door(`/v1/flows/${name}/chat`, ui(thread, parts(attack)), { token })
  }),
  "chat-token-agui": entered(async (services, { name, attack }) => {
    const { token, thread } = await tokenOf(services, name)
    return services.door(`/v1/flows/${name}/agui`, agui(thread, [{ role: "user", content: attack }]), { token })
  }),
  "chat-token-input": (stage) => ({
    flows: { [stage.name]: flow(stage.name, victim(stage, [], "${{flow.input.topic}}"), "inputs: { topic: { type: string } }\n") },
    async enter(services) {
      const { token, thread } = await tokenOf(services, stage.name)
      const said = ui(thread, parts("go"))
      return services.door(`/v1/flows/${stage.name}/chat`, { ...said, sluice: { inputs: { topic: stage.attack } } }, { token })
    },
  }),
  "public-answer": entered(answered, () => [[{ tool: "ask_user", args: { type: "input", question: "What is it about?" } }]]),
  "history-chat": entered((services, stage) =>
    services.door("/v1/chat/completions", { model: stage.name, stream: true, messages: past(stage) }),
  ),
  "history-responses": entered((services, stage) =>
    services.door("/v1/responses", { model: stage.name, background: true, input: past(stage) }),
  ),
  "history-agui": entered((services, stage) => services.door(`/v1/flows/${stage.name}/agui`, agui(`t-${stage.name}`, past(stage)))),
  "history-ui": entered((services, stage) => {
    const messages = past(stage).map((one, i) => {
      const { role, content } = z.object({ role: z.string(), content: z.string() }).parse(one)
      return { id: `m${i}`, role, parts: parts(content) }
    })
    return services.door(`/v1/flows/${stage.name}/chat`, { id: `t-${stage.name}`, messages })
  }),
  "attachment-name": entered((services, { name, attack }) =>
    services.door(`/v1/flows/${name}/chat`, ui(`t-${name}`, [...parts("look"), file(`${attack} now.txt`, "nothing")])),
  ),
  "attachment-content": entered(
    (services, { name, attack }) => services.door(`/v1/flows/${name}/chat`, ui(`t-${name}`, [...parts("look"), file("note.txt", attack)])),
    () => [[{ tool: "read", args: { path: "attachments/note.txt" } }]],
  ),
  "attachment-address": entered((services, { name, attack }) =>
    services.door("/v1/chat/completions", {
      model: name,
      stream: true,
      messages: [
        { role: "user", content: [...parts("look"), { type: "image_url", image_url: { url: `https://img.example/${attack}.png` } }] },
      ],
    }),
  ),
  "attachment-a2a": entered((services, { name, attack }) => {
    const message = { messageId: `m-${name}`, role: "ROLE_USER", parts: [{ text: "look" }, { url: `https://img.example/${attack}` }] }
    return services.door(
      `/a2a/${name}/message:send`,
      { message, configuration: { returnImmediately: true } },
      { headers: { "a2a-version": "1.0" } },
    )
  }),
}

/** The run asks, and the holder of a public token answers. */
async function answered(services: House, { name, attack }: Stage): Promise<string> {
  const run = textOf(await services.send("POST", `/v1/flows/${name}/runs`, { task: "go", autonomous: false }), "id")
  const token = textOf(await services.send("POST", `/v1/runs/${run}/token`, { view: "public", answer: true }), "token")
  for (let look = 0; look < LOOKS; look++) {
    const { data } = z
      .object({ data: z.array(z.looseObject({ id: z.string(), kind: z.string() })) })
      .parse(await services.send("GET", `/v1/runs/${run}/interactions?status=pending`))
    const asked = data.find(({ kind }) => kind === "ask_user")
    if (asked) {
      const answer = { answer: attack }
      await services.send("POST", `/v1/runs/${run}/interactions/${asked.id}`, answer, { authorization: `Bearer ${token}` })
      return run
    }
    await new Promise((wake) => setTimeout(wake, PAUSE_MS))
  }
  throw new Error(`the run ${run} asks nothing`)
}
