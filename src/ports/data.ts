// The database behind the toolkit `catalog` [C42, T43]: read with one statement at a time, whose text the tools make or have judged.

import type { JsonObject } from "../core/json.ts"

export interface Data {
  /** Throws an Error with what the database says. */
  select(sql: string, values: readonly (string | number)[], signal: AbortSignal): Promise<readonly JsonObject[]>
}
