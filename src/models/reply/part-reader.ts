// Defines the parts of a reply as they arrive, in the library's terms, for every reader of a provider's stream.

import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider"

export interface PartReader {
  /** What has arrived since the last call, at least one part; undefined: the stream has ended. Rejects if it broke. */
  read(): Promise<readonly LanguageModelV4StreamPart[] | undefined>
  cancel(): Promise<void>
  /** Those of the answer, by their lowercase names. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A model that can be called repeatedly. */
export interface ModelCaller {
  readonly modelId: string
  call(options: LanguageModelV4CallOptions): Promise<PartReader>
}

/** A caller for a model of the library, which reads its own stream. */
export const callerOf = (model: LanguageModelV4): ModelCaller => ({
  modelId: model.modelId,
  async call(options) {
    const { stream, response } = await model.doStream(options)
    const reader = stream.getReader()
    return {
      ...(response?.headers ? { headers: response.headers } : {}),
      async read() {
        const next = await reader.read()
        return next.done ? undefined : [next.value]
      },
      cancel: () => reader.cancel(),
    }
  },
})
