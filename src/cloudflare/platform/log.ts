// Writes one line of JSON to the Worker's log, without secrets [N8]. Nothing else writes there; the linter refuses `console` elsewhere.

import { logValue } from "../../core/secrets/log-text.ts"
import { NO_SECRETS, Redactor } from "../../core/secrets/redact.ts"
import { perIsolate } from "../../ports/isolate.ts"
import { scrubbed } from "./secret-cache.ts"

export type LogFields = Readonly<Record<string, unknown>>

export const logError = (event: string, fields: LogFields): void => console.error(lineOf({ level: "error", event, ...fields }))

export const logWarning = (event: string, fields: LogFields): void => console.warn(lineOf({ level: "warn", event, ...fields }))

/** A request's line has no text of a caller or of an error, so only known secrets are looked for: it is written for every request. */
export const logRequest = (entry: LogFields): void => console.log(known(JSON.stringify(entry)))

interface InstanceSecrets {
  readonly VAULT_KEY?: string
  readonly ADMIN_KEY?: string
  readonly OTLP_HEADERS?: string
  readonly ACCESS_KEYS?: string
}

/** The instance's own secrets are in no vault. They do not change while the isolate lives. */
export function hideFromLog({ VAULT_KEY = "", ADMIN_KEY = "", OTLP_HEADERS = "", ACCESS_KEYS = "" }: InstanceSecrets): void {
  const from = JSON.stringify([VAULT_KEY, ADMIN_KEY, OTLP_HEADERS, ACCESS_KEYS])
  if (from === own().from) return
  own().from = from
  const headers = OTLP_HEADERS.split(",").map((pair) => pair.slice(pair.indexOf("=") + 1).trim())
  const keys = ACCESS_KEYS.split(/[\n,]/).map((entry) => entry.slice(entry.indexOf("=") + 1).trim())
  own().redactor = new Redactor([
    ["instance", [VAULT_KEY, ADMIN_KEY, OTLP_HEADERS, ...headers, ...headers.map(decoded), ...keys].filter(isLong)],
  ])
}
const own = perIsolate(() => ({ from: "", redactor: NO_SECRETS }))

/** A shorter text would be found in words. */
const isLong = (text: string): boolean => text.length >= 8

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const known = (text: string): string => own().redactor.text(scrubbed(text))

const lineOf = (entry: LogFields): string => {
  const line = JSON.stringify(logValue(entry, known))
  // Once more as a whole: a secret may have more than one line, or stand in two fields.
  return known(line)
}
