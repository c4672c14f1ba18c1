// Logs an internal fault of a run's object.

import { logError } from "../platform/log.ts"

export function fault(where: string, error: unknown): void {
  const e = error instanceof Error ? error : new Error(String(error))
  logError("run.fault", { where, error: e.name, message: e.message, stack: e.stack })
}
