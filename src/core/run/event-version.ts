// Holds the version that is written in every event, and that of the kernel. They are separate from event.ts so that writers of events do not load all their schemas,
// which only the API's document and tests need.

export const EVENT_VERSION = 1

/**
 * Which kernel decides a run to its end, so that it goes on and replays as it began [K18]; in `run.started`. Since 2, an output without a value is
 * absent instead of empty, and text from outside stands in the user's message instead of the system prompt. A run whose start names none has kernel 1.
 */
export const KERNEL = 2
