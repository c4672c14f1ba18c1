// What a provider wants back goes back [J20], against servers that refuse a conversation without it.

import { afterAll, describe, expect, test } from "vitest"
import { ExtrasReader } from "../../src/models/chat-extras.ts"
import { providerModel } from "../../src/models/providers.ts"
import { ReplyParts } from "../../src/models/reply-state.ts"
import type { FinalMessage, ModelMessage, Model, ModelRequest } from "../../src/ports/model.ts"
import type { ProviderSettings } from "../../src/ports/tenant/providers.ts"
import { NO_SIGNATURE, startFamilyServer, type Family, type FamilyServer } from "./family-server.ts"
import { heard, request } from "./model.ts"

const WIRES = [
  ["google", "google", "gemini-3-pro-preview"],
  ["gemini", "openai-compatible", "gemini-3-pro-preview"],
  ["gemini", "openai", "gemini-3-flash"],
  ["deepseek", "openai-compatible", "deepseek-reasoner"],
  ["deepseek", "openai", "deepseek-chat"],
  ["anthropic", "anthropic", "claude-sonnet-4-5"],
  ["anthropic", "anthropic", "claude-opus-4-6"],
  ["openai", "openai", "gpt-5"],
] as const

const servers = new Map<Family, FamilyServer>()
for (const family of ["google", "gemini", "deepseek", "anthropic", "openai"] as const) servers.set(family, await startFamilyServer(family))
afterAll(() => Promise.all([...servers.values()].map((server) => server.close())))

function serverOf(family: Family): FamilyServer {
  const server = servers.get(family)
  if (!server) throw new Error(`no server for ${family}`)
  server.how = {}
  server.asked.length = 0
  server.refused.length = 0
  return server
}

function modelOf(family: Family, kind: ProviderSettings["kind"], id: string, url = serverOf(family).url): Model {
  // OpenAI's own address speaks Responses; here it leads to loopback.
  const isOwn = family === "openai"
  const away: typeof fetch = (input, init) => fetch(String(input).replace("https://api.openai.com", url), init)
  const settings = { kind, apiKey: "test-key", ...(isOwn ? {} : { baseUrl: `${url}/v1` }) }
  const made = providerModel(settings, id, { environment: "local", ...(isOwn ? { fetch: away } : {}) })
  if (!made.ok) throw new Error(made.error.message)
  return made.value
}

const tools: ModelRequest["tools"] = [
  { name: "read", description: "reads a file", parameters: { type: "object", properties: { path: { type: "string" } } } },
]

/** One turn: the reply and the results of its calls are added to the conversation. */
async function turn(model: Model, said: ModelMessage[]): Promise<FinalMessage> {
  const { final } = await heard(model, request({ tools, messages: said, thinking: "medium", maxOutputTokens: 8_000 }))
  const { text, toolCalls, state } = final
  said.push({ role: "assistant", text, toolCalls, ...(state === undefined ? {} : { state }) })
  for (const call of toolCalls)
    said.push({ role: "tool", callId: call.id, tool: call.name, content: [{ type: "text", text: "hello" }], isError: false })
  return final
}

const begun = (): ModelMessage[] => [{ role: "user", text: "Read." }]

describe.each(WIRES)("%s as %s, %s", (family, kind, id) => {
  test.each([
    [true, false],
    [false, false],
    [true, true],
    [false, true],
  ])("[J20] three tool turns and a text turn pass its rules (in pieces: %s, parallel calls: %s)", async (pieces, parallel) => {
    const server = serverOf(family)
    const model = modelOf(family, kind, id)
    server.how = { pieces, parallel }
    const said = begun()
    for (let n = 0; n < 3; n++) {
      const final = await turn(model, said)
      expect(final.error).toBeUndefined()
      expect(final.toolCalls).toHaveLength(parallel ? 2 : 1)
    }
    server.how = { text: true, pieces }
    expect(await turn(model, said)).toMatchObject({ text: "All done.", stopReason: "stop" })
    said.push({ role: "user", text: "Go on." })
    server.how = { pieces, parallel }
    expect((await turn(model, said)).error).toBeUndefined()
    expect((await turn(model, said)).error).toBeUndefined()
    expect(server.refused).toEqual([])
  })

  test("[J20] the rule is real: without the state, the second turn is refused or thinks no more", async () => {
    const server = serverOf(family)
    const model = modelOf(family, kind, id)
    const said = begun()
    await turn(model, said)
    const { state: _state, ...bare } = said[1] as Extract<ModelMessage, { role: "assistant" }>
    const without: ModelMessage[] = [begun()[0] as ModelMessage, bare, ...said.slice(2)]
    const { final } = await heard(model, request({ tools, messages: without, thinking: "medium", maxOutputTokens: 8_000 }))
    const wasTold = (server.asked.at(-1)?.["messages"] as { role: string }[] | undefined)?.every((m) => m.role !== "tool")
    const isQuiet = family === "anthropic" && !final.thinking
    const isExcused = JSON.stringify(server.asked.at(-1)).includes(NO_SIGNATURE)
    expect(final.error !== undefined || isQuiet || wasTold === true || isExcused).toBe(true)
  })

  test("[J20] another model's conversation can be continued, and its state goes nowhere else", async () => {
    for (const [otherFamily, otherKind, otherId] of WIRES) {
      if (otherId === id) continue
      const other = serverOf(otherFamily)
      const said = begun()
      const first = modelOf(otherFamily, otherKind, otherId)
      await turn(first, said)
      await turn(first, said)
      const given = [...other.issued]
      const server = serverOf(family)
      const model = modelOf(family, kind, id)
      for (let n = 0; n < 2; n++) expect((await turn(model, said)).error, `${otherId} → ${id}`).toBeUndefined()
      if (other === server) continue
      const sent = JSON.stringify(server.asked)
      for (const secret of given.flatMap((s) => s.split("|"))) expect(sent).not.toContain(JSON.stringify(secret).slice(1, -1))
    }
  })

  test("[J20] the same model at another address does not get it", async () => {
    const server = serverOf(family)
    const said = begun()
    await turn(modelOf(family, kind, id), said)
    if (family === "openai") return
    const elsewhere = modelOf(family, kind, id, server.url.replace("127.0.0.1", "localhost"))
    await turn(elsewhere, said)
    const sent = JSON.stringify(server.asked.at(-1))
    for (const secret of server.issued.slice(0, -2).flatMap((s) => s.split("|")))
      expect(sent).not.toContain(JSON.stringify(secret).slice(1, -1))
  })

  test("[M6] each turn's request begins with the request before it, byte for byte", async () => {
    const server = serverOf(family)
    const model = modelOf(family, kind, id)
    const said = begun()
    const uses: FinalMessage["usage"][] = []
    for (let n = 0; n < 3; n++) uses.push((await turn(model, said)).usage)
    const stable = server.asked.map((body) => {
      const { messages, input, contents, ...rest } = JSON.parse(
        JSON.stringify(body, (key, v: unknown) => (key === "cache_control" ? undefined : v)),
      ) as Record<string, unknown>
      return { rest: JSON.stringify(rest), list: JSON.stringify(messages ?? input ?? contents).slice(0, -1) }
    })
    for (let n = 1; n < stable.length; n++) {
      expect(stable[n]?.rest).toBe(stable[0]?.rest)
      expect(stable[n]?.list.startsWith(stable[n - 1]?.list ?? "-")).toBe(true)
    }
    for (const usage of uses.slice(1)) expect(usage?.cacheRead).toBeGreaterThan(0)
  })
})

test("[J20] more than is kept goes nowhere: a server that wants ever more back costs no memory, and the reply stands", async () => {
  const details = new ExtrasReader()
  for (let n = 0; n < 5_000; n++)
    details.take({ choices: [{ delta: { reasoning_details: [{ type: "reasoning.text", index: n, text: "x".repeat(1_000) }] } }] })
  expect(details.extras([])).toBeUndefined()
  const parts = new ReplyParts()
  for (let n = 0; n < 5_000; n++)
    parts.take({ type: "reasoning-start", id: `${n}`, providerMetadata: { anthropic: { redactedData: "x".repeat(1_000) } } })
  expect(parts.kept()).toBeUndefined()
})

test("[J20] pieces of one entry of `reasoning_details` go back as one, and each call keeps its own", () => {
  const reader = new ExtrasReader()
  const detail = (more: object): object => ({
    choices: [{ delta: { reasoning_details: [{ type: "reasoning.text", index: 0, ...more }] } }],
  })
  for (const piece of [detail({ text: "a" }), detail({ text: "b", signature: null }), detail({ signature: "S" })]) reader.take(piece)
  const call = (id: string, signature?: string): object => ({
    index: 0,
    id,
    function: { name: "read", arguments: "{}" },
    ...(signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } }),
  })
  reader.take({ choices: [{ delta: { tool_calls: [call("a", "A"), call("b"), call("c", "C")] } }] })
  expect(reader.extras(["a", "b", "c"])).toEqual({
    message: { reasoning_details: [{ type: "reasoning.text", index: 0, text: "ab", signature: "S" }] },
    calls: [{ extra_content: { google: { thought_signature: "A" } } }, null, { extra_content: { google: { thought_signature: "C" } } }],
  })
})

test("[M6] cached tokens are read under each provider's name for them", async () => {
  const usages = [
    [{ prompt_tokens: 100, completion_tokens: 9, prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 36 }, 64],
    [{ prompt_tokens: 100, completion_tokens: 9, prompt_tokens_details: { cached_tokens: 65 } }, 65],
    [{ prompt_tokens: 100, completion_tokens: 9, cached_tokens: 66 }, 66],
    [{ prompt_tokens: 100, completion_tokens: 9, prompt_tokens_details: { cached_tokens: 67 }, prompt_cache_hit_tokens: 1 }, 67],
    [{ prompt_tokens: 100, completion_tokens: 9, prompt_tokens_details: null, prompt_cache_hit_tokens: 68 }, 68],
    [{ prompt_tokens: 100, completion_tokens: 9, prompt_cache_hit_tokens: "many" }, undefined],
  ] as const
  for (const [usage, cached] of usages) {
    const line = (body: object): string => `data: ${JSON.stringify({ id: "c", created: 1, model: "m", ...body })}\n\n`
    const text = [
      line({ choices: [{ index: 0, delta: { role: "assistant", content: "Hi" }, finish_reason: "stop" }] }),
      line({ choices: [], usage }),
      "data: [DONE]\n\n",
    ].join("")
    const made = providerModel({ kind: "openai-compatible", baseUrl: "https://api.example.com/v1" }, "m", {
      environment: "local",
      fetch: async () => new Response(text, { headers: { "content-type": "text/event-stream" } }),
    })
    if (!made.ok) throw new Error(made.error.message)
    expect((await heard(made.value)).final.usage?.cacheRead).toBe(cached)
  }
})
