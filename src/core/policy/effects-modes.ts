// How a run may treat what its calls change outside [K30]. A plain list: what only reads policies, as the console does, needs no parser of events.

export const EFFECTS_MODES = ["live", "staged", "dry"] as const
export type EffectsMode = (typeof EFFECTS_MODES)[number]
