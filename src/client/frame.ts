// The frames of a run's stream.

import type { Json } from "../core/json.ts"
import type { RunEvent } from "../core/run/event.ts"

/** Journal events, and the frames that are streamed but not stored [E2]. */
export type Frame = RunEvent | Transient
export type Transient =
  | { readonly type: "model.delta"; readonly step: string; readonly turn: number; readonly text: string }
  | { readonly type: "tool.progress"; readonly step: string; readonly callId: string; readonly tool: string; readonly content: Json }
