// Holds the version that is written in every event. It is separate from event.ts so that writers of events do not load all their schemas,
// which only the API's document and tests need.

export const EVENT_VERSION = 1
