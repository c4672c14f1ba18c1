// Builds the options of a call for the provider's library, beside its prompt [M1].

import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool } from "@ai-sdk/provider"
import { defined } from "../core/defined.ts"
import type { ModelRequest } from "../ports/model.ts"
import type { Wire } from "./wire.ts"
import type { ToolNames } from "./tool-names.ts"
import { shapedTool } from "./tool-schemas.ts"

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
    ...defined({
      temperature: request.temperature,
      topP: request.topP,
      seed: request.seed,
      stopSequences: request.stop && [...request.stop],
      reasoning,
    }),
    ...(wire.keeps === "chunks" ? { includeRawChunks: true } : {}),
    ...defined({ providerOptions: wire.providerOptions }),
    ...(request.tools.length === 0
      ? {}
      : {
          tools: request.tools.map((tool): LanguageModelV4FunctionTool => {
            const { description, schema } = shapedTool(tool)
            return {
              type: "function",
              name: names.safe(tool.name),
              description,
              inputSchema: schema,
              ...(wire.looseTools === true ? { strict: false } : {}),
            }
          }),
        }),
  }
}
