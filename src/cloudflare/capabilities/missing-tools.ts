// Finds tools that ship with Sluice but need a binding that this Worker lacks. They are absent, and the list of tools says why [T25].

import { defined } from "../../core/defined.ts"
import { TOOLKITS } from "../../core/tool/toolkits.ts"
import type { ToolTraits } from "../../core/flow/check/check-trifecta.ts"
import type { Tool } from "../../ports/tool.ts"
import { ABSENT } from "../../tools/absent.ts"
import { specsFor, toolsFor, type Shell } from "../../tools/toolbox.ts"
import { shellOf, type SandboxBinding } from "../sandbox/containers.ts"
import { noData } from "./data-d1.ts"
import type { Env } from "../platform/env.ts"

const AI = "needs Workers AI: bind it in wrangler.toml ([ai], binding = AI)"

/** The reason by tool name. Runs are not offered these tools, and calls from outside a run are refused. */
export function missingTools(
  env: Pick<Env, "AI" | "BROWSER" | "DATA" | "DATA_TENANT"> & SandboxBinding,
  shell = shellOf(env),
): ReadonlyMap<string, string> {
  const reason = noData(env)
  return new Map([
    ...unbound(env, shell),
    ...(env.AI === undefined ? MODELS.map((name) => [name, AI] as const) : []),
    ...(reason === undefined ? [] : (TOOLKITS["catalog"] ?? []).map((name) => [name, reason] as const)),
  ])
}

/** The shipped tools for callers outside a run. A tool without its binding appears only in the list of missing tools. */
export function shippedTools(env: Pick<Env, "BROWSER"> & SandboxBinding): readonly Tool[] {
  const names = new Set(unbound(env, shellOf(env)).map(([name]) => name))
  return toolsFor(shellOf(env)).filter(({ name }) => !names.has(name))
}

/** The traits of the shipped tools, and why this instance lacks some of them. */
export function shippedTraits(env: Parameters<typeof missingTools>[0], shell: Shell): readonly ToolTraits[] {
  const missing = missingTools(env, shell)
  const specs = [...specsFor(shell).values()]
  const here = new Set(specs.map(({ name }) => name))
  return [
    ...specs.map((spec): ToolTraits => ({ ...spec, ...reasonOf(missing.get(spec.name)) })),
    ...[...missing].flatMap(([name, absent]): ToolTraits[] => (here.has(name) ? [] : [{ name, contexts: [], absent }])),
  ]
}

const reasonOf = (absent: string | undefined): { absent?: string } => defined({ absent })

const MODELS = ["image.analyze", "audio.transcribe"]

function unbound(env: Pick<Env, "BROWSER">, shell: Shell): readonly (readonly [string, string])[] {
  const bound = { BROWSER: env.BROWSER !== undefined, SANDBOX: shell !== "worker" }
  return ABSENT.filter(({ needs }) => !bound[needs]).map(({ name, reason }) => [name, reason] as const)
}
