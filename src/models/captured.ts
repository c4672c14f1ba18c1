// Captures the request that a provider's library writes, so that we send it and read the reply ourselves: the library reads a reply through
// a chain of five streams and a schema for each event.

import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider"

export interface CapturedRequest {
  readonly url: string
  readonly init: RequestInit
}

/** Thrown through the library, which passes on what it does not know. No error: it needs no stack, which V8 writes for each. */
class Captured {
  readonly asked: CapturedRequest

  constructor(asked: CapturedRequest) {
    this.asked = asked
  }
}

/** A `fetch` that captures a model's requests. */
export const capturing: typeof fetch = (input, init = {}) =>
  Promise.reject(new Captured({ url: input instanceof Request ? input.url : String(input), init }))

/** The captured request. Throws the library's error for a prompt that it refuses. */
export async function captured(model: LanguageModelV4, options: LanguageModelV4CallOptions): Promise<CapturedRequest> {
  try {
    await model.doStream(options)
  } catch (error) {
    if (error instanceof Captured) return error.asked
    throw error
  }
  throw new Error("the provider's library answered without a request")
}
