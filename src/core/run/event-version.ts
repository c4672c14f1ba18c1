// The version that every event is written with. It has a file of its own, so that who writes events does not load the schemas of all of
// them (event.ts), which only the API's document and tests need.

export const EVENT_VERSION = 1
