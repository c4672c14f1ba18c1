/** Limits how many open questions of the runs below it a run keeps. */
// Limit: open questions of the runs below that a run knows → the others are said again until some are answered.
export const MAX_CHILD_QUESTIONS = 20
