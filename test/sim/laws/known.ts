// Faults of the product that are known and not mended: what the laws pass over for their sake. Each is a line that goes when it is mended.

/** Deliveries of a window are numbered by the clock at which each was accepted, and a clock that is put back changes their order [R11]. */
export const A_CLOCK_REORDERS_DELIVERIES = true
