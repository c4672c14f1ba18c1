// Tools that ship and that this Worker has not what they need for: what is not bound here is absent, and the list of tools says why [T25].

import { TOOLKITS } from "../core/flow/toolkits.ts"
import { ABSENT } from "../tools/absent.ts"
import { noData } from "./data-d1.ts"
import type { Env } from "./env.ts"

const AI = "needs Workers AI: bind it in wrangler.toml ([ai], binding = AI)"

/** By name: why. A run is not offered them, and a call from outside is refused. */
export function missingTools(env: Pick<Env, "AI" | "DATA" | "DATA_TENANT">): ReadonlyMap<string, string> {
  const models = env.AI === undefined ? NO_MODELS : ALWAYS
  const reason = noData(env)
  return reason === undefined ? models : new Map([...models, ...(TOOLKITS["catalog"] ?? []).map((name) => [name, reason] as const)])
}

/** Those that no Worker of ours can run yet, whatever is bound. */
const ALWAYS: ReadonlyMap<string, string> = new Map(ABSENT.map(({ name, reason }) => [name, reason]))
const NO_MODELS: ReadonlyMap<string, string> = new Map([...ALWAYS, ["image.analyze", AI], ["audio.transcribe", AI]])
