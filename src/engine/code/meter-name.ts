/** The module that a metered handler's first line imports `tick` from. */
export const METER = "meter.js"
