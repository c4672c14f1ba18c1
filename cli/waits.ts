// Tells whether a run waits for a person: scripts then end with exit code 4.

import type { RunView } from "../src/core/run/views/view.ts"

export const waitsForPerson = ({ status, pending, asks }: Pick<RunView, "status" | "pending" | "asks">): boolean =>
  status === "waiting" && (pending > 0 || (asks ?? []).length > 0)
