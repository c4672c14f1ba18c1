// Logs an internal fault of a run's object.

import { errorFields } from "../../core/secrets/log-text.ts"
import { logError } from "../platform/log.ts"

export function fault(where: string, error: unknown): void {
  logError("run.fault", { where, ...errorFields(error) })
}
