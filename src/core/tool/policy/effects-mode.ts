// Chooses how a run treats calls that change something outside [K30]: the mode that its start asks for, or a stricter one that the policy
// demands.

import type { EffectsMode } from "./effects-modes.ts"
import type { Policy } from "./policy.ts"
import { matchesGlob } from "./tool-names.ts"

const STRICTNESS: Readonly<Record<EffectsMode, number>> = { live: 0, staged: 1, dry: 2 }

const stricter = (a: EffectsMode, b: EffectsMode): EffectsMode => (STRICTNESS[b] > STRICTNESS[a] ? b : a)

/** `flows`: the run's flow and its possible child flows. Children run in the same mode, so a minimum for a child is a minimum for the run. */
export const effectsMode = (policy: Policy | undefined, flows: readonly string[], asked: EffectsMode = "live"): EffectsMode =>
  (policy?.effects ?? [])
    .filter((rule) => flows.some((flow) => matchesGlob(rule.flows, flow)))
    .reduce((mode, rule) => stricter(mode, rule.mode), asked)
