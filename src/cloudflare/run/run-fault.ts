// A fault of our own in a run's object, as a line in the log: without any secret that this isolate knows of.

import { scrubbed } from "../clients/secret-cache.ts"

export function fault(where: string, error: unknown): void {
  const e = error instanceof Error ? error : new Error(String(error))
  console.error(scrubbed(JSON.stringify({ level: "error", event: "run.fault", where, error: e.name, message: e.message, stack: e.stack })))
}
