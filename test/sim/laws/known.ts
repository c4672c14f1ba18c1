// Faults of the product that are known and not mended: what the laws pass over for their sake. Each is a line that goes when it is mended.

/** Usage does not count a call that failed after its provider had it, or that was under way when its step or run ended, as it counts one that was
 *  lost: such a call may be billed in full [B3]. */
export const FAILED_CALLS_ARE_FREE = false
/** Deliveries of a window are numbered by the clock at which each was accepted, and a clock that is put back changes their order [R11]. */
export const A_CLOCK_REORDERS_DELIVERIES = true
/** A request that adds a row, and is still on its way when the row is deleted, adds it again [V28]. */
export const A_LATE_REQUEST_BRINGS_A_ROW_BACK = true
/** A promised run whose first try is lost is said not to have begun before three seconds are over [W3]. */
export const A_LOST_TRY_IS_TOLD_EARLY = true
/** A run fails for its configuration when the settings of its provider cannot be read for a moment [F33]. */
export const UNREAD_SETTINGS_END_A_RUN = false
/** A body that is put into R2 and then named by no event, because its file was refused or its answer was lost, stays for ever [F71]. */
export const UNNAMED_BODIES_STAY = false
/** A run that had slices of the day keeps them until midnight if the tenant's limit was taken away meanwhile [B4]. */
export const A_LIFTED_LIMIT_KEEPS_SLICES = false
/** Whoever wants an alarm while one is overdue, or while it rings, sets it for its own time alone, which may be later than that of others [J12]. */
export const AN_OVERDUE_ALARM_IS_MOVED = false
/** A child's question that comes before the answer to the child's start is dropped [P5]. */
export const EARLY_QUESTIONS_ARE_DROPPED = false
/** The runs that tool calls of a run have started stay when it is deleted [N3]. */
export const CHILDREN_OF_CALLS_STAY = false
