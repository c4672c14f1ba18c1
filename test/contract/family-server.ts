// Providers on loopback that keep their families' rules: each refuses, with its own 400, a conversation that lacks what it sent with its
// earlier replies [J20]. A reply is one tool call, or a text when the script says so; it streams in small pieces, or comes in one.

import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

export type Family = "google" | "gemini" | "deepseek" | "anthropic" | "openai"

type Body = Record<string, unknown>
interface Reply {
  readonly n: number
  /** Two calls at once. */
  readonly parallel: boolean
  readonly text: boolean
  readonly pieces: boolean
}

export interface FamilyServer {
  readonly url: string
  readonly asked: Body[]
  readonly refused: string[]
  /** What each provider gave and wants back: it must appear nowhere else. */
  readonly issued: string[]
  /** How the next replies are made. */
  how: { parallel?: boolean; text?: boolean; pieces?: boolean; overflow?: boolean }
  close(): Promise<void>
}

const listOf = (value: unknown): Body[] => (Array.isArray(value) ? (value as Body[]) : [])
const bodyOf = (value: unknown): Body => (typeof value === "object" && value !== null ? (value as Body) : {})

export async function startFamilyServer(family: Family): Promise<FamilyServer> {
  const state: FamilyServer = { url: "", asked: [], refused: [], issued: [], how: {}, close: () => Promise.resolve() }
  const rule = RULES[family]
  const server = createServer((request, response) => {
    let text = ""
    request.setEncoding("utf8")
    request.on("data", (chunk: string) => (text += chunk))
    request.on("end", () => {
      const body = JSON.parse(text) as Body
      state.asked.push(body)
      const fault = state.how.overflow === true ? "prompt is too long: 300000 tokens > 200000 maximum" : rule.fault(body, state.issued)
      if (fault !== undefined) {
        state.refused.push(fault)
        response.writeHead(400, { "content-type": "application/json" })
        return void response.end(JSON.stringify(rule.error(fault)))
      }
      const { parallel = false, text: isText = false, pieces = true } = state.how
      response.writeHead(200, { "content-type": "text/event-stream" })
      for (const line of rule.reply({ n: state.asked.length, parallel, text: isText, pieces }, body, state.issued)) response.write(line)
      response.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.closeAllConnections()
      server.close(() => resolve())
    })
  return Object.assign(state, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close })
}

interface Rules {
  fault(body: Body, issued: readonly string[]): string | undefined
  error(message: string): unknown
  reply(reply: Reply, body: Body, issued: string[]): string[]
}

const cut = (text: string, pieces: boolean): string[] => (pieces ? (text.match(/[\s\S]{1,5}/g) ?? []) : [text])
const namesOf = ({ n, parallel }: Reply, family: Family): string[] => (parallel ? [0, 1] : [0]).map((i) => `${family}-call-${n}-${i}`)
const ARGS = '{"path":"a.md"}'

const chunk = (delta: Body, more: Body = {}): string =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, ...more }] })}\n\n`
const chatEnd = (stop: string): string[] => [
  chunk({}, { finish_reason: stop }),
  `data: ${JSON.stringify({ id: "c", created: 1, model: "m", choices: [], usage: { prompt_tokens: 50, completion_tokens: 9, prompt_cache_hit_tokens: 32, prompt_cache_miss_tokens: 18 } })}\n\n`,
  "data: [DONE]\n\n",
]

const gemini: Rules = {
  // In the current turn, the first call of each step needs its signature.
  fault({ messages }, issued) {
    const list = listOf(messages)
    const turn = list.slice(list.findLastIndex((m) => m["role"] === "user") + 1)
    for (const message of turn) {
      const [call] = listOf(message["tool_calls"])
      const signature = bodyOf(bodyOf(call?.["extra_content"])["google"])["thought_signature"]
      if (call && !issued.includes(String(signature)))
        return `Function call ${String(call["id"])} is missing a thought_signature in functionCall parts.`
    }
    return undefined
  },
  error: (message) => [{ error: { code: 400, message, status: "INVALID_ARGUMENT" } }],
  reply(reply, _body, issued) {
    if (reply.text) return [chunk({ role: "assistant", content: "All done." }), ...chatEnd("stop")]
    const signature = `gemini-signature-${reply.n}/+=`
    issued.push(signature)
    // Gemini gives every call the index 0, each whole, and only the first a signature.
    const calls = namesOf(reply, "gemini").map((id, i) =>
      chunk({
        role: "assistant",
        tool_calls: [
          {
            index: 0,
            id,
            type: "function",
            function: { name: "read", arguments: ARGS },
            ...(i === 0 ? { extra_content: { google: { thought_signature: signature } } } : {}),
          },
        ],
      }),
    )
    return [...calls, ...chatEnd("tool_calls")]
  },
}

/** What Google accepts in place of a signature, for calls that another model made. */
export const NO_SIGNATURE = "skip_thought_signature_validator"

/** The same provider by its own API: contents, parts, and a signature beside the call. */
const google: Rules = {
  fault({ contents }, issued) {
    const list = listOf(contents)
    const isAsked = (content: Body): boolean => listOf(content["parts"]).some((part) => part["text"] !== undefined)
    const turn = list.slice(list.findLastIndex((c) => c["role"] === "user" && isAsked(c)) + 1)
    for (const content of turn) {
      const call = content["role"] === "model" && listOf(content["parts"]).find((part) => part["functionCall"] !== undefined)
      if (call && ![...issued, NO_SIGNATURE].includes(String(call["thoughtSignature"])))
        return `Function call \`${String(bodyOf(call["functionCall"])["name"])}\` is missing a thought_signature in functionCall parts.`
    }
    return undefined
  },
  error: gemini.error,
  reply(reply, _body, issued) {
    const line = (parts: readonly Body[], more: Body = {}, top: Body = {}): string =>
      `data: ${JSON.stringify({ candidates: [{ content: { role: "model", parts }, index: 0, ...more }], ...top })}\n\n`
    const usageMetadata = { promptTokenCount: 50, candidatesTokenCount: 9, thoughtsTokenCount: 4, cachedContentTokenCount: 32 }
    const end = line([], { finishReason: "STOP" }, { usageMetadata })
    if (reply.text) return [...cut("All done.", reply.pieces).map((text) => line([{ text }])), end]
    const thoughtSignature = `google-signature-${reply.n}/+=`
    issued.push(thoughtSignature)
    const calls = namesOf(reply, "google").map((_, i) => ({
      functionCall: { name: "read", args: JSON.parse(ARGS) as unknown },
      ...(i === 0 ? { thoughtSignature } : {}),
    }))
    return [...(reply.pieces ? calls.map((call) => line([call])) : [line(calls)]), end]
  },
}

const deepseek: Rules = {
  fault({ messages }, issued) {
    for (const message of listOf(messages))
      if (message["role"] === "assistant" && message["tool_calls"] !== undefined && !issued.includes(String(message["reasoning_content"])))
        return "The reasoning_content in the thinking mode must be passed back to the API."
    return undefined
  },
  error: (message) => ({ error: { message, type: "invalid_request_error", param: null, code: "invalid_request_error" } }),
  reply(reply, _body, issued) {
    const reasoning = `deepseek thinks ${reply.n}: "quoted" ü €\n`
    issued.push(reasoning)
    const thought = cut(reasoning, reply.pieces).map((text) => chunk({ role: "assistant", content: null, reasoning_content: text }))
    if (reply.text) return [...thought, chunk({ content: "All done." }), ...chatEnd("stop")]
    const calls = namesOf(reply, "deepseek").flatMap((id, index) => [
      chunk({ tool_calls: [{ index, id, type: "function", function: { name: "read", arguments: "" } }] }),
      ...cut(ARGS, reply.pieces).map((text) => chunk({ tool_calls: [{ index, function: { arguments: text } }] })),
    ])
    return [...thought, ...calls, ...chatEnd("tool_calls")]
  },
}

const event = (e: Body): string => `event: ${String(e["type"])}\ndata: ${JSON.stringify(e)}\n\n`

/** Prefixes that the provider has cached, by their text. */
const cached = new Map<string, number>()

function anthropicUsage(body: Body): Body {
  const unmarked = (value: unknown): string => JSON.stringify(value, (key, v: unknown) => (key === "cache_control" ? undefined : v))
  let prefix = ""
  let read = 0
  const marks: string[] = []
  const blocks = [...listOf(body["tools"]), ...listOf(body["system"]), ...listOf(body["messages"]).flatMap((m) => listOf(m["content"]))]
  for (const block of blocks) {
    prefix += unmarked(block)
    if (block["cache_control"] === undefined) continue
    if (cached.has(prefix)) read = prefix.length
    else marks.push(prefix)
  }
  for (const mark of marks) cached.set(mark, mark.length)
  const written = Math.max(0, (marks.at(-1)?.length ?? 0) - read)
  return { input_tokens: prefix.length - read - written + 1, cache_read_input_tokens: read, cache_creation_input_tokens: written }
}

const anthropic: Rules = {
  fault(body, issued) {
    const list = listOf(body["messages"])
    const marks = JSON.stringify(body).split('"cache_control"').length - 1
    if (marks > 4) return `A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`
    for (const [i, message] of list.entries())
      for (const [n, block] of listOf(message["content"]).entries()) {
        if (block["cache_control"] !== undefined && String(block["type"]).includes("thinking"))
          return `messages.${i}.content.${n}.thinking.cache_control: Extra inputs are not permitted`
        if (block["type"] === "thinking" && !issued.includes(`${String(block["thinking"])}|${String(block["signature"])}`))
          return `messages.${i}.content.${n}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified.`
        if (block["type"] === "redacted_thinking" && !issued.includes(String(block["data"])))
          return `messages.${i}.content.${n}: Invalid \`data\` in \`redacted_thinking\` block`
      }
    const last = list.findLastIndex((m) => m["role"] === "assistant")
    const [first] = listOf(list[last]?.["content"])
    const goesOn = listOf(list.at(-1)?.["content"]).some((b) => b["type"] === "tool_result")
    // Models with adaptive thinking have no such rule.
    if (bodyOf(body["thinking"])["type"] === "enabled" && goesOn && first && !String(first["type"]).includes("thinking"))
      return `messages.${last}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${String(first["type"])}\`.`
    return undefined
  },
  error: (message) => ({ type: "error", error: { type: "invalid_request_error", message } }),
  reply(reply, body, issued) {
    const isThinking = bodyOf(body["thinking"])["type"] !== undefined
    const thinking = `claude thinks ${reply.n} — ü`
    const signature = `claude-signature-${reply.n}/+=`
    const redacted = `claude-redacted-${reply.n}`
    if (isThinking) issued.push(`${thinking}|${signature}`, redacted)
    let index = 0
    const block = (content_block: Body, deltas: Body[]): string[] => {
      const at = index++
      return [
        event({ type: "content_block_start", index: at, content_block }),
        ...deltas.map((delta) => event({ type: "content_block_delta", index: at, delta })),
        event({ type: "content_block_stop", index: at }),
      ]
    }
    const say = (text: string): string[] =>
      block(
        { type: "text", text: "" },
        cut(text, reply.pieces).map((t) => ({ type: "text_delta", text: t })),
      )
    const thought = isThinking
      ? [
          ...block({ type: "thinking", thinking: "", signature: "" }, [
            ...cut(thinking, reply.pieces).map((t) => ({ type: "thinking_delta", thinking: t })),
            { type: "signature_delta", signature },
          ]),
          ...block({ type: "redacted_thinking", data: redacted }, []),
        ]
      : []
    const rest = reply.text
      ? say("All done.")
      : [
          ...say("I read it."),
          ...namesOf(reply, "anthropic").flatMap((id) =>
            block(
              { type: "tool_use", id, name: "read", input: {} },
              cut(ARGS, reply.pieces).map((t) => ({ type: "input_json_delta", partial_json: t })),
            ),
          ),
        ]
    return [
      event({
        type: "message_start",
        message: {
          id: "m",
          type: "message",
          role: "assistant",
          model: "m",
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { ...anthropicUsage(body), output_tokens: 1 },
        },
      }),
      ...thought,
      ...rest,
      event({
        type: "message_delta",
        delta: { stop_reason: reply.text ? "end_turn" : "tool_use", stop_sequence: null },
        usage: { output_tokens: 9 },
      }),
      event({ type: "message_stop" }),
    ]
  },
}

const openai: Rules = {
  fault(body, issued) {
    if (body["store"] !== false) return "this provider stores nothing: store must be false"
    if (!JSON.stringify(body["include"] ?? []).includes("reasoning.encrypted_content")) return undefined
    const input = listOf(body["input"])
    for (const [i, item] of input.entries()) {
      if (item["type"] === "item_reference")
        return `Item with id '${String(item["id"])}' not found. Items are not persisted when \`store\` is set to false.`
      if (item["type"] === "reasoning") {
        if (!issued.includes(String(item["encrypted_content"])))
          return `Item with id '${String(item["id"])}' not found. Items are not persisted when \`store\` is set to false.`
        const next = input[i + 1]?.["type"] ?? input[i + 1]?.["role"]
        if (next !== "function_call" && next !== "message" && next !== "assistant")
          return `Item '${String(item["id"])}' of type 'reasoning' was provided without its required following item.`
      }
    }
    const turn = input.slice(input.findLastIndex((m) => m["role"] === "user") + 1)
    const first = turn.findIndex((m) => m["type"] === "function_call" && String(m["call_id"]).startsWith("openai-call-"))
    if (first >= 0 && !turn.slice(0, first).some((m) => m["type"] === "reasoning"))
      return `Item '${String(turn[first]?.["call_id"])}' of type 'function_call' was provided without its required 'reasoning' item.`
    return undefined
  },
  error: (message) => ({ error: { message, type: "invalid_request_error", param: "input", code: null } }),
  reply(reply, _body, issued) {
    const encrypted = `openai-encrypted-${reply.n}/+=`
    issued.push(encrypted)
    const ids = namesOf(reply, "openai")
    const reasoning = { id: `rs_${reply.n}`, type: "reasoning", summary: [], encrypted_content: encrypted }
    const items: Body[] = reply.text
      ? [
          {
            id: `msg_${reply.n}`,
            type: "message",
            role: "assistant",
            status: "completed",
            content: [{ type: "output_text", text: "All done.", annotations: [] }],
          },
        ]
      : ids.map((id, i) => ({
          id: `fc_${reply.n}_${i}`,
          type: "function_call",
          call_id: id,
          name: "read",
          arguments: ARGS,
          status: "completed",
        }))
    const lines = [reasoning, ...items].flatMap((item: Body, output_index) => {
      const empty =
        item["type"] === "function_call"
          ? { ...item, arguments: "", status: "in_progress" }
          : item["type"] === "reasoning"
            ? { ...item, encrypted_content: null }
            : { ...item, content: [] }
      const deltas =
        item["type"] === "function_call"
          ? cut(ARGS, reply.pieces).map((delta) =>
              event({ type: "response.function_call_arguments.delta", item_id: item["id"], output_index, delta }),
            )
          : item["type"] === "message"
            ? cut("All done.", reply.pieces).map((delta) =>
                event({ type: "response.output_text.delta", item_id: item["id"], output_index, content_index: 0, delta }),
              )
            : []
      return [
        event({ type: "response.output_item.added", output_index, item: empty }),
        ...deltas,
        event({ type: "response.output_item.done", output_index, item }),
      ]
    })
    return [
      event({ type: "response.created", response: { id: "r", created_at: 1, model: "m" } }),
      ...lines,
      event({
        type: "response.completed",
        response: {
          usage: {
            input_tokens: 50,
            output_tokens: 9,
            input_tokens_details: { cached_tokens: 32 },
            output_tokens_details: { reasoning_tokens: 4 },
          },
        },
      }),
    ]
  },
}

const RULES: Readonly<Record<Family, Rules>> = { google, gemini, deepseek, anthropic, openai }
