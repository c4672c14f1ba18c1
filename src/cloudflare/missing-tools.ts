// Tools that ship and that this Worker has not what they need for: what is not bound here is absent, and the list of tools says why [T25].

import { ABSENT } from "../tools/absent.ts"
import type { Env } from "./env.ts"

const AI = "needs Workers AI: bind it in wrangler.toml ([ai], binding = AI)"

/** By name: why. A run is not offered them, and a call from outside is refused. */
export function missingTools(env: Pick<Env, "AI">): ReadonlyMap<string, string> {
  return env.AI === undefined ? NO_MODELS : ALWAYS
}

/** Those that no Worker of ours can run yet, whatever is bound. */
const ALWAYS: ReadonlyMap<string, string> = new Map(ABSENT.map(({ name, reason }) => [name, reason]))
const NO_MODELS: ReadonlyMap<string, string> = new Map([...ALWAYS, ["image.analyze", AI], ["audio.transcribe", AI]])
