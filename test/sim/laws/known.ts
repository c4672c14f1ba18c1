// Faults of the product that are known and not mended: what the laws pass over for their sake. Each is a line that goes when it is mended.

/** Usage does not count a call that failed after its provider had it, or that was under way when its step or run ended, as it counts one that was
 *  lost: such a call may be billed in full [B3]. */
export const FAILED_CALLS_ARE_FREE = true
/** A run fails for its configuration when the settings of its provider cannot be read for a moment [F33]. */
export const UNREAD_SETTINGS_END_A_RUN = true
