// Offers Workers AI to tools [T24, T25]: it converts documents to Markdown, describes images and transcribes speech. Absent without the
// binding.

import { isObject } from "../../core/json.ts"
import type { ModelPowers } from "../../ports/tool.ts"

const VISION = "@cf/mistralai/mistral-small-3.1-24b-instruct"
const SPEECH = "@cf/openai/whisper-large-v3-turbo"
const ANSWER_TOKENS = 1024 // limit: output tokens of an answer about an image or a recording → the answer ends there

/** The part of the binding that this module uses. The binding's own types list every model. */
export interface AiBinding {
  run(model: string, input: Record<string, unknown>, options?: { signal?: AbortSignal }): Promise<unknown>
  toMarkdown(file: { name: string; blob: Blob }): Promise<unknown>
}

export function modelPowers(ai: AiBinding | undefined): Required<ModelPowers> | undefined {
  if (ai === undefined) return undefined
  return {
    async toMarkdown({ name, mimeType, body }) {
      const answer = await ai.toMarkdown({ name, blob: new Blob([new Uint8Array(body)], { type: mimeType }) })
      if (isObject(answer) && typeof answer["data"] === "string" && answer["format"] !== "error") return answer["data"]
      const why = isObject(answer) && typeof answer["error"] === "string" ? answer["error"] : "no text came back"
      throw new Error(`${name} could not be read as a document: ${why}`)
    },
    async analyzeImage({ data, mimeType, prompt }, signal) {
      const content = [
        { type: "text", text: prompt },
        { type: "image_url", image_url: { url: `data:${mimeType};base64,${data}` } },
      ]
      return said(await ai.run(VISION, { messages: [{ role: "user", content }], max_tokens: ANSWER_TOKENS }, { signal }), "response")
    },
    transcribe: async ({ data }, signal) => said(await ai.run(SPEECH, { audio: data }, { signal }), "text"),
  }
}

function said(answer: unknown, member: string): string {
  const text = isObject(answer) ? answer[member] : undefined
  if (typeof text !== "string") throw new Error("the model did not answer with text")
  return text
}
