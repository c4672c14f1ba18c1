// Stops loops in which callbacks reach hooks of the same service: a run ends and calls a receiver, which is a hook, which starts a run, and
// so on [W7]. Each callback has the number of such rounds before it, and a hook starts nothing beyond a fixed number.
//
// The header does not need a signature. A sender with valid proof can omit it or lower the number, but gains nothing over sending a first
// delivery. Changing it in transit, or replaying a captured delivery with a high number, only gets that delivery refused; it is not
// remembered, so the real one is still accepted. Budgets and quotas limit a sender who wants a loop.

export const DEPTH_HEADER = "x-sluice-depth"

/** The maximum number of rounds. The run of the last round starts, but its callback starts nothing. */
export const MOST_DEPTH = 8 // limit: callbacks in the chain that led to a delivery → the delivery starts no run

/** The depth of a delivery; 0 without the header. Sluice never sends a malformed or repeated header, so such a delivery is refused. */
export function depthOf(header: string | null): number {
  if (header === null) return 0
  return /^\d{1,4}$/.test(header) ? Number(header) : Infinity
}

export const tooDeep = (depth: number): string =>
  depth === Infinity
    ? `the header ${DEPTH_HEADER} is malformed or repeated`
    : `${depth} callbacks of runs in a row led here: more than ${MOST_DEPTH} count as a loop`
