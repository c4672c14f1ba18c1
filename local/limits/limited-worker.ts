// Serves `--limits free|paid` of `npm run serve` and `npm run judge`: the build of the Worker with the platform's limits, and a server's
// settings for it.

import { buildWorker } from "../build.ts"
import type { Settings } from "../settings.ts"
import { Trouble } from "../trouble.ts"
import { PLANS, type PlatformPlan } from "./plans.ts"

const LIMITED = "dist/worker-limits.js"

/** `--limits free` → the plan; undefined: not given. */
export function limitsAsked(args: readonly string[]): PlatformPlan | undefined {
  const at = args.findIndex((arg) => arg === "--limits" || arg.startsWith("--limits="))
  if (at < 0) return undefined
  const name = args[at]?.split("=")[1] ?? args[at + 1]
  if (name !== "free" && name !== "paid") throw new Trouble("--limits needs a plan: --limits free, or --limits paid")
  return PLANS[name]
}

export const buildLimitedWorker = (outfile: string = LIMITED): Promise<string> => buildWorker("local/limits/worker.ts", outfile)

/** `hasLoader`: with Dynamic Workers even where the plan has none. */
export const withLimits = (settings: Settings, { name }: PlatformPlan, hasLoader = false): Settings => ({
  ...settings,
  bindings: { ...settings.bindings, PLATFORM_LIMITS: name, ...(hasLoader ? { PLATFORM_LOADER: "yes" } : {}) },
})
