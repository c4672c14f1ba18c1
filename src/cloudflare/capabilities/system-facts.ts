// Builds the answer of `system.info` [T25]: the version, the names of the bindings, and the limits for tools. No addresses, keys or host
// figures.

import { OUTPUT_LIMITS } from "../../core/text/truncate.ts"
import { DEFAULT_TIMEOUT, MAX_TIMEOUT } from "../../engine/run/call/execute-tool.ts"
import { VERSION } from "../../engine/version.ts"
import type { ToolPowers } from "../../ports/tool.ts"
import { MAX_FILE_BYTES } from "../../ports/workspace.ts"
import { shellOf, type SandboxBinding } from "../sandbox/containers.ts"
import type { Env } from "../platform/env.ts"

export function systemFacts(
  env: Pick<Env, "ENVIRONMENT" | "LOADER" | "AI" | "BROWSER"> & SandboxBinding,
): NonNullable<ToolPowers["system"]> {
  return {
    info: async () => ({
      name: "sluice",
      version: VERSION,
      environment: env.ENVIRONMENT,
      runtime: "Cloudflare Workers (workerd)",
      bound: {
        codeSteps: env.LOADER !== undefined,
        workersAi: env.AI !== undefined,
        containers: shellOf(env) !== "worker",
        browser: env.BROWSER !== undefined,
      },
      limits: {
        toolTimeoutMs: DEFAULT_TIMEOUT,
        toolTimeoutMostMs: MAX_TIMEOUT,
        fileBytes: MAX_FILE_BYTES,
        outputBytes: OUTPUT_LIMITS.bytes,
        outputLines: OUTPUT_LIMITS.lines,
      },
    }),
  }
}
