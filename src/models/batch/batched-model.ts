// Makes the calls of a model in batches [R32] out of the model that is asked at once: what it would send is kept in place of being sent, and
// a reply is played to it as if it had come. So both ask and hear the same, to the byte, but for the word "stream".

import { isObject } from "../../core/json.ts"
import { readJson } from "../../core/outside/json-pieces.ts"
import { err, ok, type Result } from "../../core/result.ts"
import { Breath } from "../../ports/breath.ts"
import type { BatchedModel } from "../../ports/model-batches.ts"
import type { FinalMessage, Model, ModelError, ModelRequest } from "../../ports/model.ts"
import type { ProviderSettings } from "../../ports/tenant/providers.ts"
import { apiOf, providerModel, type ProviderDeps } from "../providers.ts"
import { refusal } from "../reply/failure.ts"
import { chatStream, messageStream, responseStream } from "./as-stream.ts"

const STREAMS = { messages: messageStream, responses: responseStream, chat: chatStream } as const

export function batchedModel(settings: ProviderSettings, id: string, deps: ProviderDeps): BatchedModel | undefined {
  const api = apiOf(settings)
  if (api === undefined) return undefined
  // A copy: models are kept with their settings, and these are of one call.
  const modelBy = (fetch: typeof globalThis.fetch): Result<Model, ModelError> => providerModel({ ...settings }, id, { ...deps, fetch })
  return {
    async body(request) {
      let sent: RequestInit | undefined
      const made = modelBy((_input, init) => {
        sent = init
        return Promise.reject(new Error("the request is kept for a batch"))
      })
      if (!made.ok) return err(made.error)
      const final = await finalOf(made.value, request)
      if (typeof sent?.body !== "string") return err(final.error ?? refusal("the request could not be written"))
      const beta = new Headers(sent.headers).get("anthropic-beta")
      return ok({ body: wholeOf(sent.body), ...(beta === null ? {} : { beta }) })
    },
    async reply(request, { status, body }) {
      const made = modelBy(() => answerOf(api, status, body))
      return made.ok ? finalOf(made.value, request) : failed(made.error)
    },
  }
}

async function finalOf(model: Model, request: ModelRequest): Promise<FinalMessage> {
  for await (const chunk of model.reply(request, new AbortController().signal)) if (chunk.type === "final") return chunk
  return failed({ message: "the model's stream ended without an answer", retryable: true })
}

const failed = (error: ModelError): FinalMessage => ({
  type: "final",
  text: "",
  thinking: false,
  toolCalls: [],
  stopReason: "error",
  error,
})

/** A batch answers with whole replies. */
function wholeOf(text: string): string {
  const body: unknown = JSON.parse(text)
  if (!isObject(body)) return text
  const { stream: _stream, stream_options: _options, ...rest } = body
  return JSON.stringify(rest)
}

async function answerOf(api: keyof typeof STREAMS, status: number, text: string): Promise<Response> {
  const read = status >= 200 && status < 300 ? await new Breath().through(readJson(text)) : undefined
  if (read?.ok && isObject(read.value)) return new Response(STREAMS[api](read.value), { headers: { "content-type": "text/event-stream" } })
  const error = status >= 400 && status <= 599 ? status : 502
  return new Response(text, { status: error, headers: { "content-type": "application/json" } })
}
