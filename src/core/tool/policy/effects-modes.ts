// Lists the modes for calls that change something outside [K30]. Kept apart from event-parts.ts so that the console does not bundle zod.

export const EFFECTS_MODES = ["live", "staged", "dry"] as const
export type EffectsMode = (typeof EFFECTS_MODES)[number]
