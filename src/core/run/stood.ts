// Tells of a start whether it obeyed a block [R19], or has its times only because a person waits for it [R27].

import type { StartTimes } from "./event-parts.ts"

/** What begins without a block comes into no line. */
export const stood = (start: StartTimes | undefined): boolean =>
  start !== undefined && (start.ready !== undefined || start.began === undefined)
