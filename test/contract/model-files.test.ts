// Pictures and PDFs as each provider's API takes them [F56], over raw wires; a sentence for each model that takes none.

import { afterAll, describe, expect, test } from "vitest"
import type { Attachment } from "../../src/core/run/event-parts.ts"
import { providerModel } from "../../src/models/providers.ts"
import { rehearsalModel } from "../../src/models/rehearsed/rehearsal.ts"
import { takesOf } from "../../src/models/sight.ts"
import type { ModelMessage, ModelRequest } from "../../src/ports/model.ts"
import type { ProviderSettings } from "../../src/ports/tenant/providers.ts"
import { base64, pdf, png } from "../support/media/media.ts"
import { heard, request } from "./model.ts"
import { startModelServer } from "./model-server.ts"

const server = await startModelServer()
afterAll(() => server.close())

const PICTURE = png(800, 600)
const PAPER = pdf(2)
const PNG_64 = base64(PICTURE)
const PDF_64 = base64(PAPER)
const picture: Attachment = { path: "in/scan.png", hash: "h1", type: "image/png", size: 1_000, tokens: 765, width: 800, height: 600 }
const paper: Attachment = { path: "in/bill.pdf", hash: "h2", type: "application/pdf", size: 2_000, tokens: 9_200, pages: 2 }
const BODIES: Record<string, Uint8Array> = { h1: PICTURE, h2: PAPER }

const loaded: string[] = []
const more = (messages: ModelMessage[]): Partial<ModelRequest> => ({
  messages,
  body: async (hash) => {
    loaded.push(hash)
    return BODIES[hash]
  },
})

type Part = Record<string, unknown>
type Block = { role?: string; type?: string; content?: Part[]; output?: Part[] }

/** Makes one call and returns the body that the server got. */
async function sent(
  settings: Partial<ProviderSettings> & Pick<ProviderSettings, "kind">,
  messages: ModelMessage[],
  id = "m",
): Promise<Part> {
  const made = providerModel({ baseUrl: `${server.url}/v1`, apiKey: "test-key", ...settings }, id, { environment: "local" })
  if (!made.ok) throw new Error(made.error.message)
  server.say({ text: "fine" })
  loaded.length = 0
  await heard(made.value, request({ ...more(messages), model: id }))
  return server.asked[0]?.body ?? {}
}
const blocks = (body: Part, name = "messages"): Block[] => body[name] as Block[]

const TASK: ModelMessage[] = [{ role: "user", text: "Look.", attached: [picture, paper] }]
const READ: ModelMessage[] = [
  { role: "user", text: "Look." },
  {
    role: "assistant",
    text: "",
    toolCalls: [
      { id: "c1", name: "read", args: '{"path":"in/scan.png"}' },
      { id: "c2", name: "read", args: '{"path":"in/bill.pdf"}' },
    ],
  },
  { role: "tool", callId: "c1", tool: "read", content: [{ type: "text", text: "a picture" }], isError: false, attached: [picture] },
  { role: "tool", callId: "c2", tool: "read", content: [{ type: "text", text: "a PDF" }], isError: false, attached: [paper] },
  { role: "user", text: "Go on." },
]
const label = (path: string) => ({ type: "text", text: expect.stringContaining(`[${path} (`) })

describe("Anthropic Messages", () => {
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: PNG_64 } }
  const document = { type: "document", source: { type: "base64", media_type: "application/pdf", data: PDF_64 } }

  test("[F56] with the task: blocks of the message", async () => {
    const [message] = blocks(await sent({ kind: "anthropic" }, TASK, "claude-sonnet-4-5"))
    expect(message?.content).toMatchObject([{ type: "text", text: "Look." }, label("in/scan.png"), image, label("in/bill.pdf"), document])
  })

  test("[F56] read: blocks of the result", async () => {
    const [, , results] = blocks(await sent({ kind: "anthropic" }, READ, "claude-sonnet-4-5"))
    expect(results?.content?.slice(0, 2)).toMatchObject([
      { type: "tool_result", tool_use_id: "c1", content: [{ type: "text", text: "a picture" }, label("in/scan.png"), image] },
      { type: "tool_result", tool_use_id: "c2", content: [{ type: "text", text: "a PDF" }, label("in/bill.pdf"), document] },
    ])
  })
})

describe("OpenAI Responses", () => {
  const image = { type: "input_image", image_url: `data:image/png;base64,${PNG_64}` }
  const file = { type: "input_file", filename: "bill.pdf", file_data: `data:application/pdf;base64,${PDF_64}` }

  test("[F56] with the task: parts of the message", async () => {
    const items = blocks(await sent({ kind: "openai", api: "responses" }, TASK, "gpt-5"), "input")
    expect(items.at(-1)?.content).toMatchObject([{ type: "input_text", text: "Look." }, {}, image, {}, file])
  })

  test("[F56] read: parts of the output", async () => {
    const items = blocks(await sent({ kind: "openai", api: "responses" }, READ, "gpt-5"), "input")
    const outputs = items.filter(({ type }) => type === "function_call_output").map(({ output }) => output)
    expect(outputs).toMatchObject([
      [{ text: "a picture" }, {}, image],
      [{ text: "a PDF" }, {}, file],
    ])
  })
})

describe.each([
  ["openai", "gpt-5"],
  ["openai-compatible", "openai/gpt-5-mini"],
  ["openai-compatible", "anthropic/claude-sonnet-4.5"],
] as const)("Chat Completions: %s %s", (kind, id) => {
  const image = { type: "image_url", image_url: { url: `data:image/png;base64,${PNG_64}` } }
  const file = { type: "file", file: { filename: "bill.pdf", file_data: `data:application/pdf;base64,${PDF_64}` } }

  test("[F56] with the task: parts of the message", async () => {
    const messages = blocks(await sent({ kind }, TASK, id))
    expect(messages.at(-1)?.content).toMatchObject([
      { type: "text", text: "Look." },
      label("in/scan.png"),
      image,
      label("in/bill.pdf"),
      file,
    ])
  })

  test("[F56] read: a message after the results, which take text alone", async () => {
    const [, ...messages] = blocks(await sent({ kind }, READ, id))
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool", "user", "user"])
    expect(messages[2]?.content).toBe("a picture\n[What it shows is in the next message.]")
    expect(messages[4]?.content).toMatchObject([label("in/scan.png"), image, label("in/bill.pdf"), file])
    expect(messages[5]?.content).toBe("Go on.")
  })
})

test("[F56] Gemini, which refuses the calls of another model: told as text, they show their files", async () => {
  const [, task] = blocks(await sent({ kind: "openai-compatible" }, TASK, "google/gemini-3-pro"))
  expect(task?.content?.map(({ type }) => type)).toEqual(["text", "text", "image_url", "text", "file"])
  const messages = blocks(await sent({ kind: "openai-compatible" }, READ, "google/gemini-3-pro"))
  expect(JSON.stringify(messages).match(/image_url/g)).toHaveLength(2)
  expect(JSON.stringify(messages)).toContain(PDF_64)
})

describe("a model that takes no such files", () => {
  const MUTE = /\[in\/scan\.png \(image\/png\) is not shown: the model deepseek-chat takes no pictures\. Go on without it/

  test("[F56] is told so in one sentence, as plain text, and their bytes are not read", async () => {
    const task = blocks(await sent({ kind: "openai-compatible" }, TASK, "deepseek-chat")).at(-1)
    expect(task?.content).toMatch(/^Look\.\n\n\[in\/scan/)
    expect(task?.content).toMatch(MUTE)
    expect(task?.content).toContain("in/bill.pdf (application/pdf) is not shown: the model deepseek-chat takes no PDFs")
    const read = blocks(await sent({ kind: "openai" }, READ, "gpt-3.5-turbo")).find(({ role }) => role === "tool")
    expect(read?.content).toMatch(/^a picture\n\[in\/scan\.png \(image\/png\) is not shown/)
    expect(loaded).toEqual([])
  })

  test("[F56] a name that nothing is known of is shown pictures, and no PDF by servers that may not know files", async () => {
    const [, message] = blocks(await sent({ kind: "openai-compatible" }, TASK, "my-model"))
    expect(message?.content?.map(({ type }) => type)).toEqual(["text", "text", "image_url", "text"])
    expect(loaded).toEqual(["h1"])
  })

  test.each([
    ["anthropic", "claude-opus-4-7", true, true],
    ["anthropic", "claude-2.1", false, false],
    ["openai", "gpt-5-mini", true, true],
    ["openai", "gpt-4o", true, true],
    ["openai", "gpt-4.1-nano", true, true],
    ["openai", "gpt-4-turbo", true, true],
    ["openai", "gpt-4", false, false],
    ["openai", "gpt-4-0613", false, false],
    ["openai", "o1-mini", false, false],
    ["openai", "o3-mini", false, false],
    ["openai", "o4-mini", true, true],
    ["openai-compatible", "gemini-2.5-flash", true, true],
    ["openai-compatible", "deepseek-reasoner", false, false],
    ["openai-compatible", "deepseek-ai/deepseek-vl2", true, false],
    ["openai-compatible", "Qwen/Qwen3-235B-A22B", false, false],
    ["openai-compatible", "qwen/qwen2.5-vl-72b-instruct", true, false],
    ["openai-compatible", "qwen3-vl:8b", true, false],
    ["openai-compatible", "meta-llama/llama-3.3-70b-instruct", false, false],
    ["openai-compatible", "meta-llama/llama-3.2-11b-vision-instruct", true, false],
    ["openai-compatible", "meta-llama/llama-4-maverick", true, false],
    ["openai-compatible", "llama3.1:8b", false, false],
    ["openai-compatible", "gemma3:27b", true, false],
    ["openai-compatible", "moonshotai/kimi-k2-instruct", false, false],
    ["openai-compatible", "moonshotai/kimi-k2.5", true, false],
    ["openai-compatible", "z-ai/glm-4.6", false, false],
    ["openai-compatible", "z-ai/glm-4.5v", true, false],
    ["openai-compatible", "mistral-large-latest", true, false],
    ["openai-compatible", "mistralai/mixtral-8x7b", false, false],
    ["openai-compatible", "openai/gpt-oss-120b", false, false],
    ["openai-compatible", "grok-4", true, false],
    ["openai-compatible", "grok-code-fast-1", false, false],
    ["workers-ai", "@cf/meta/llama-3.3-70b-instruct-fp8-fast", false, false],
    ["workers-ai", "@cf/meta/llama-4-scout-17b-16e-instruct", true, false],
    ["workers-ai", "@cf/some/model", false, false],
    ["scripted", "anything", false, false],
  ] as const)("[F56] %s %s: pictures %s, PDFs %s", (kind, id, pictures, pdfs) => {
    const takes = takesOf({ kind }, id)
    expect([takes("image/jpeg"), takes("application/pdf")]).toEqual([pictures, pdfs])
  })

  test("[F56] Gemini takes no GIFs, and PDFs not at its address for Chat Completions", () => {
    expect(takesOf({ kind: "google" }, "gemini-3-pro")("image/gif")).toBe(false)
    expect(takesOf({ kind: "google" }, "gemini-3-pro")("application/pdf")).toBe(true)
    const baseUrl = "https://generativelanguage.googleapis.com/v1beta/openai"
    expect(takesOf({ kind: "openai-compatible", baseUrl }, "gemini-3-pro")("application/pdf")).toBe(false)
    expect(takesOf({ kind: "openai-compatible", baseUrl }, "gemini-3-pro")("image/webp")).toBe(true)
  })

  test("[F56] [M3] a rehearsal says that it looked at nothing", async () => {
    const { final } = await heard(rehearsalModel(undefined), request(more(TASK)))
    expect(final.toolCalls[0]?.args).toContain("the pictures and PDFs were not looked at")
    const without = await heard(rehearsalModel(undefined), request())
    expect(without.final.toolCalls[0]?.args).not.toContain("looked at")
  })
})

describe("Gemini by its own API", () => {
  test("[F56] with the task, and in a message after the results", async () => {
    const parts = async (messages: ModelMessage[]) =>
      (await sent({ kind: "google" }, messages, "gemini-3-pro"))["contents"] as { role: string; parts: Part[] }[]
    const image = { inlineData: { mimeType: "image/png", data: PNG_64 } }
    const file = { inlineData: { mimeType: "application/pdf", data: PDF_64 } }
    expect((await parts(TASK)).at(-1)?.parts).toMatchObject([{ text: "Look." }, {}, image, {}, file])
    const read = await parts(READ)
    expect(read.map(({ role }) => role)).toEqual(["user", "model", "user", "user", "user"])
    expect(read[2]?.parts.map((part) => Object.keys(part))).toEqual([["functionResponse"], ["functionResponse"]])
    expect(read[3]?.parts).toMatchObject([{}, image, {}, file])
  })
})

describe("Workers AI", () => {
  test("[F56] a model that sees gets pictures as parts", async () => {
    const asked: { messages: { content: unknown }[] }[] = []
    const ai = {
      run: async (_model: string, body: { messages: { content: unknown }[] }) => {
        asked.push(body)
        return new Response("data: [DONE]\n\n").body
      },
    }
    const made = providerModel({ kind: "workers-ai" }, "@cf/meta/llama-4-scout-17b-16e-instruct", { environment: "production", ai })
    if (!made.ok) throw new Error(made.error.message)
    await heard(made.value, request(more(TASK)))
    expect(JSON.stringify(asked[0]?.messages.at(-1)?.content)).toContain(`data:image/png;base64,${PNG_64}`)
    expect(JSON.stringify(asked[0]?.messages)).toContain("takes no PDFs")
  })
})

describe("bytes", () => {
  test("[F56] that are no longer stored are told, and the call goes on", async () => {
    const lost = { ...picture, hash: "gone" }
    const task = blocks(await sent({ kind: "openai-compatible" }, [{ role: "user", text: "Look.", attached: [lost] }], "gpt-5")).at(-1)
    expect(task?.content).toBe("Look.\n\n[in/scan.png (image/png) is not shown: it is no longer stored]")
  })

  test("[F56] that cannot be read now fail the call, which is made again", async () => {
    const made = providerModel({ kind: "openai-compatible", baseUrl: `${server.url}/v1` }, "gpt-5", { environment: "local" })
    if (!made.ok) throw new Error(made.error.message)
    const body = async (): Promise<Uint8Array> => {
      throw new Error("the store does not answer")
    }
    const { final } = await heard(made.value, request({ messages: TASK, body }))
    expect(final.error).toMatchObject({ retryable: true, message: expect.stringContaining("the store does not answer") })
  })

  test("[F56] of an image that a tool sent must be one; then it is shown everywhere", async () => {
    const result = (data: string): ModelMessage[] => [
      ...READ.slice(0, 2),
      { role: "tool", callId: "c1", tool: "shot", content: [{ type: "image", data, mimeType: "image/jpeg" }], isError: false },
      { role: "tool", callId: "c2", tool: "shot", content: [{ type: "text", text: "none" }], isError: false },
    ]
    for (const kind of ["anthropic", "openai", "openai-compatible"] as const) {
      expect(JSON.stringify(await sent({ kind }, result(PNG_64), "gpt-5"))).toContain(PNG_64)
      const broken = JSON.stringify(await sent({ kind }, result(btoa("no image at all")), "gpt-5"))
      expect(broken).not.toContain(btoa("no image at all"))
      expect(broken).toContain("its bytes are no picture that a model takes")
    }
  })
})
