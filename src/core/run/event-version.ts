// Holds the version that every event is written with. It is apart from event.ts so that writers of events do not load the schemas of all of
// them, which only the API's document and tests need.

export const EVENT_VERSION = 1
