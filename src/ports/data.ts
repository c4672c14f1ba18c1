// Reads the database behind the toolkit `catalog` [C42, T43], one statement at a time. The tools write or check every statement.

import type { JsonObject } from "../core/json.ts"

export interface Data {
  /** Throws an Error with the database's message. */
  select(sql: string, values: readonly (string | number)[], signal: AbortSignal): Promise<readonly JsonObject[]>
}
