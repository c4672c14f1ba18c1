// Defines a row of a dataset [V29]: a case of a test without its rehearsal, and what an answer to it must meet.

import type { JsonObject } from "../json.ts"
import type { GivenFiles } from "../run/given-file.ts"
import type { Said } from "../run/event-parts.ts"

/** What its author writes. */
export interface RowCase {
  readonly name?: string
  readonly task?: string
  readonly inputs?: JsonObject
  /** The trigger's data, for `${{trigger.…}}`. */
  readonly trigger?: JsonObject
  readonly files?: GivenFiles
  readonly conversation?: readonly Said[]
  readonly autonomous?: boolean
  readonly answers?: readonly JsonObject[]
  readonly expect?: JsonObject
  /** What an answer must meet, in words for a judge. */
  readonly criteria?: string
  readonly tags?: readonly string[]
}

export const MAX_ROW = 262_144 // limit: bytes of a dataset's row → 422
export const MAX_ROWS = 10_000 // limit: rows of a dataset → 422
export const MAX_CRITERIA = 4_000 // limit: characters of a row's criteria → 422

export interface AddedRow {
  readonly id: string
  readonly row: RowCase
  /** The run that it was made from; absent: it was added by hand. */
  readonly run?: string
  /** Text from outside made it: its trials are tainted [G11]. */
  readonly untrusted?: true
}

/** `digest`: SHA-256 of the row's canonical text. */
export const rowId = (digest: string): string => `row_${digest.slice(0, 24)}`
