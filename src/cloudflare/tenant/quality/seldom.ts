// Loads what few tenants need of quality as one module: two would share more small ones, each of which a start loads.

export { experimentParts } from "./experiments/experiment-parts.ts"
export { trustRoom } from "./trust-room.ts"
