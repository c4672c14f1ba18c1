/** Names the module from which a metered handler imports `tick`. */
export const METER = "meter.js"

/** The steps charged for an `await`: awaiting a resolved value takes as long as this many loop iterations, and no timer runs in between. */
export const AWAIT_STEPS = 32
