/** Open questions of the runs below that a run knows. */
export const MAX_CHILD_QUESTIONS = 20
