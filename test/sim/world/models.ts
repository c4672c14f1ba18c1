// A provider of models in the simulated world. What a model says follows from its name and the conversation, so a repeated turn is answered alike.
// Its books have every request that arrived: a provider bills what it was asked, whether its answer arrives or not.

import { createHash } from "node:crypto"
import { z } from "zod"
import type { Asked, Told } from "../platform/network.ts"
import { TOOLS_HOST } from "./services.ts"

export const MODELS_HOST = "127.0.0.1:8001"
/** US dollars per token, in and out. */
export const TOKEN_USD = 0.000_01

const Content = z.union([z.string(), z.null(), z.array(z.looseObject({ text: z.string().optional() }))]).optional()
const Message = z.looseObject({ role: z.string(), content: Content })
const Tool = z.looseObject({ function: z.looseObject({ name: z.string(), parameters: z.unknown() }) })
const Body = z.looseObject({
  tools: z.array(Tool).optional(),
  model: z.string(),
  messages: z.array(Message),
  max_tokens: z.number().optional(),
  max_completion_tokens: z.number().optional(),
})

export interface ModelCall {
  /** The case: the first `case-…` in the conversation, which names the start. */
  readonly name: string
  readonly model: string
  /** Of model and conversation: one turn of one session. */
  readonly print: string
  /** When it arrived (virtual ms). */
  readonly at: number
  readonly usd: number
  /** Of the agent's prompt. */
  readonly edition: number
}

interface Call {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
}

interface Heard {
  readonly name: string
  /** The step's task. */
  readonly task: string
  /** Answers of the model to this task so far. */
  readonly turn: number
  /** The conversation has a summary in place of what was said. */
  readonly isShortened: boolean
  /** The first branch that its `finish` may take. */
  readonly branch: string | undefined
}

const finish = (name: string, more: Readonly<Record<string, unknown>> = {}): Call => ({
  name: "finish",
  args: { status: name.includes("broken") ? "error" : "complete", summary: `${name}: done`, files: [], ...more },
})

/** By the model's name: what it does in turn; the last one is repeated. */
const MODELS: Readonly<Record<string, (heard: Heard) => readonly Call[]>> = {
  worker: ({ name }) => [finish(name)],
  /** A listed name with a small context window: its conversation is made shorter. */
  "gpt-4": ({ name, turn, isShortened }) =>
    turn < 6 && !isShortened ? [{ name: "look", args: { at: `big-${name}-${turn}` } }] : [finish(name)],
  loser: ({ name }) => [finish(name, { status: "error" })],
  looker: ({ name, turn }) => (turn === 0 ? [{ name: "look", args: { at: name } }] : [finish(name)]),
  sender: ({ name, turn }) =>
    turn === 0
      ? [
          { name: "send_keyed", args: { n: name } },
          { name: "send_plain", args: { n: name } },
        ]
      : [finish(name)],
  asker: ({ name, turn }) => (turn === 0 ? [{ name: "note", args: { to: name } }] : [finish(name)]),
  writer: ({ name, turn }) =>
    turn === 0 ? [{ name: "write", args: { path: `${name}.md`, content: `# ${name}\n` } }] : [finish(name, { files: [`${name}.md`] })],
  lister: ({ name }) => [finish(name, { list: [`${name}-1`, `${name}-2`, `${name}-3`] })],
  judge: ({ name, task }) => [finish(name, { branch: /round [01]\b/.test(task) ? "loop" : "exit" })],
  /** Decides for an autonomous run. */
  chooser: ({ name, branch }) => [finish(name, { branch })],
  boss: ({ name, turn }) =>
    turn === 0
      ? ["worker", "looker"].map((agent) => ({ name: "call_agent", args: { agent, prompt: `${name}-${agent}` } }))
      : [finish(name)],
  crowd: ({ name }) => [finish(name, { list: Array.from({ length: 25 }, (_, n) => `${name}-${n}`) })],
  flaky: ({ name }) => [finish(name)],
  quizzer: ({ name, turn }) =>
    turn === 0
      ? [{ name: "ask_user", args: { question: `What about ${name}?`, type: "select", options: ["This", "That"] } }]
      : [finish(name)],
  reader: ({ name, turn }) =>
    turn === 0
      ? [
          { name: "ls", args: {} },
          { name: "read", args: { path: `${name}.md` } },
        ]
      : [finish(name)],
  recaller: ({ name, turn }) =>
    [
      [{ name: "memory_write", args: { namespace: "sim", content: `${name} was here` } }],
      [{ name: "memory_read", args: { namespace: "sim", limit: 5 } }],
    ][turn] ?? [finish(name)],
  shaky: ({ name, turn }) => {
    const list = [`${name}-1`]
    if (turn === 0) return [finish(name, { list: "not a list" })]
    if (turn === 1) return []
    return [finish(name, { list }), finish(name, { list: [] })]
  },
  slow: ({ name, turn }) =>
    turn === 0
      ? [
          { name: "slow_keyed", args: { n: name } },
          { name: "slow_plain", args: { n: name } },
        ]
      : [finish(name)],
  orderer: ({ name, task, turn }) =>
    turn === 0 ? [{ name: "order", args: { url: `http://${TOOLS_HOST}/order`, what: `${name}-${task.slice(-1)}` } }] : [finish(name)],
  talker: ({ name }) => [finish(name)],
}

export const MODEL_NAMES = Object.keys(MODELS)

export class Models {
  readonly calls: ModelCall[] = []
  readonly strange: string[] = []
  readonly #now: () => number
  /** How often a busy model was asked for a turn. */
  readonly #busy = new Map<string, number>()

  constructor(now: () => number) {
    this.#now = now
  }

  readonly host = (asked: Asked): Told => {
    const said = Body.safeParse(JSON.parse(asked.body))
    if (!said.success) {
      this.strange.push(asked.body.slice(0, 300))
      return { status: 400, parts: [{ after: 0, text: '{"error":{"message":"not understood"}}' }] }
    }
    const { model, messages, tools = [], max_tokens: max, max_completion_tokens: most = max } = said.data
    const heard = { ...heardIn(messages), branch: branchIn(tools) }
    const input = Buffer.byteLength(messages.map(textOf).join(""))
    const output = Math.min(most ?? 1_000, 200)
    const print = createHash("sha256")
      .update(JSON.stringify([model, messages]))
      .digest("hex")
      .slice(0, 16)
    if (model === "flaky") {
      const tries = (this.#busy.get(print) ?? 0) + 1
      this.#busy.set(print, tries)
      const error = [{ after: 0, text: '{"error":{"message":"come again later"}}' }]
      // Who says nothing of when is asked again within a second.
      if (tries === 1 && /[02468ace]$/.test(print)) return { status: 503, parts: error }
      if (tries === 1) return { status: 429, headers: { "retry-after": "3" }, parts: error }
      if (tries === 2 && print < "8") return { status: 503, headers: { "retry-after": "20" }, parts: error }
    }
    const edition = Number(/Edition (\d+)/.exec(textOf(messages[0] ?? { role: "", content: "" }))?.[1] ?? -1)
    this.calls.push({ name: heard.name, model, print, at: this.#now(), usd: (input + output) * TOKEN_USD, edition })
    // Without tools it is asked for a summary.
    const calls = tools.length === 0 ? [] : (MODELS[model]?.(heard) ?? [finish(heard.name)])
    const parts = partsOf(model, print, calls, { input, output })
    return { status: 200, headers: { "content-type": "text/event-stream" }, after: 150, parts }
  }
}

const branchIn = (tools: readonly z.infer<typeof Tool>[]): string | undefined =>
  /"branch":\{[^}]*"enum":\["([^"]*)"/.exec(
    JSON.stringify(tools.find((it) => it.function.name === "finish")?.function.parameters ?? {}),
  )?.[1]

const SUMMARY = "a summary of what was looked at"

function heardIn(messages: readonly z.infer<typeof Message>[]): Omit<Heard, "branch"> {
  const at = messages.findLastIndex((m) => m.role === "user" && textOf(m).includes("case-"))
  const task = at < 0 ? "" : textOf(messages[at] as z.infer<typeof Message>)
  return {
    name: /case-[\w-]+/.exec(task)?.[0] ?? "no case",
    task,
    isShortened: messages.some((m) => textOf(m).includes(SUMMARY)),
    turn: messages.slice(at).filter((m) => m.role === "assistant").length,
  }
}

const textOf = ({ content }: z.infer<typeof Message>): string =>
  typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("")

function partsOf(model: string, print: string, calls: readonly Call[], usage: { input: number; output: number }): Told["parts"] {
  const chunk = (delta: object, reason: string | null = null, more: object = {}): string =>
    `data: ${JSON.stringify({
      id: `chatcmpl-${print}`,
      object: "chat.completion.chunk",
      created: 1_700_000_000,
      model,
      choices: [{ index: 0, delta, finish_reason: reason }],
      ...more,
    })}\n\n`
  const said = calls.flatMap(({ name, args }, index) => [
    chunk({ tool_calls: [{ index, id: `call_${print}_${index}`, type: "function", function: { name, arguments: "" } }] }),
    chunk({ tool_calls: [{ index, function: { arguments: JSON.stringify(args) } }] }),
  ])
  if (said.length === 0) said.push(chunk({ content: "Here is " }), chunk({ content: SUMMARY }))
  const tokens = { prompt_tokens: usage.input, completion_tokens: usage.output, total_tokens: usage.input + usage.output }
  const first = chunk({ role: "assistant", content: "" }) + said.slice(0, 1).join("")
  const rest = said.slice(1).join("") + chunk({}, calls.length === 0 ? "stop" : "tool_calls", { usage: tokens })
  return [
    { after: 20, text: first },
    { after: 60, text: rest },
    { after: 5, text: "data: [DONE]\n\n" },
  ]
}
