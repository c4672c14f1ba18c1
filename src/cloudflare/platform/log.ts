// One line of JSON in the Worker's log, without any secret that this isolate knows. The only place that writes there.

import { scrubbed } from "../clients/secret-cache.ts"

export type LogFields = Readonly<Record<string, unknown>>

export const logError = (event: string, fields: LogFields): void => console.error(line({ level: "error", event, ...fields }))

export const logWarning = (event: string, fields: LogFields): void => console.warn(line({ level: "warn", event, ...fields }))

export const line = (entry: LogFields): string => scrubbed(JSON.stringify(entry))

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
