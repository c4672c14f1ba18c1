/** The module that a metered handler's first line imports `tick` from. */
export const METER = "meter.js"

/** An `await` of what is there already takes as long as so many turns of a loop, and no timer comes between two of them. */
export const AWAIT_STEPS = 32
