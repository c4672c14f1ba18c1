// Defines the frames of a run's stream.

import type { Json } from "../core/json.ts"
import type { RunEvent } from "../core/run/event.ts"

/** Journal events, and the frames that are streamed but not stored [E2]. `whole`: the text replaces what the reader has of that turn, and
 *  lacks `omitted` characters at its beginning. */
export type Frame = RunEvent | Transient
export type Transient =
  | {
      readonly type: "model.delta"
      readonly step: string
      readonly turn: number
      readonly text: string
      readonly whole?: true
      readonly omitted?: number
    }
  | { readonly type: "tool.progress"; readonly step: string; readonly callId: string; readonly tool: string; readonly content: Json }
