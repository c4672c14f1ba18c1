// What a call asks of the provider's library, beside its prompt [M1].

import type { JSONSchema7, LanguageModelV4CallOptions, LanguageModelV4FunctionTool } from "@ai-sdk/provider"
import type { ModelRequest } from "../ports/model.ts"
import type { Wire } from "./wire.ts"
import type { ToolNames } from "./tool-names.ts"

export function optionsOf(
  request: ModelRequest,
  wire: Wire,
  names: ToolNames,
  signal: AbortSignal,
): Omit<LanguageModelV4CallOptions, "prompt"> {
  const reasoning = request.thinking === undefined ? undefined : wire.effort(request.thinking)
  return {
    maxOutputTokens: request.maxOutputTokens,
    abortSignal: signal,
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    ...(request.topP === undefined ? {} : { topP: request.topP }),
    ...(request.seed === undefined ? {} : { seed: request.seed }),
    ...(request.stop === undefined ? {} : { stopSequences: [...request.stop] }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(wire.keeps === "chunks" ? { includeRawChunks: true } : {}),
    ...(wire.providerOptions === undefined ? {} : { providerOptions: wire.providerOptions }),
    ...(request.tools.length === 0
      ? {}
      : {
          tools: request.tools.map((tool): LanguageModelV4FunctionTool => ({
            type: "function",
            name: names.safe(tool.name),
            description: tool.description,
            // Both are JSON Schema; the library's type is mutable and of an older draft.
            inputSchema: tool.parameters as JSONSchema7,
            ...(wire.looseTools === true ? { strict: false } : {}),
          })),
        }),
  }
}
