// What a handler gets besides its input [F24, F27]: the second argument of its default export. The scaffold of a handler says the same.

import type { Json } from "../core/json.ts"

export interface HandlerContext {
  /** Aborted when the step's time is up. */
  readonly signal: AbortSignal
  /** Shown to readers of the run. */
  log(message: unknown): void
  /** The step's result as the run shows it; without it, the names of the outputs. */
  setSummary(text: string): void
  readonly flow: string
  readonly step: string
  readonly task: string
  /** Calls a tool of the step's `tools`. The handler is run again from its beginning for each answer, so it must do the same each time. A
   *  tool that fails, or that a person refuses, throws a ToolError with `state`: failed, refused or uncertain. */
  call(tool: string, args?: object): Promise<{ readonly text: string; readonly data?: Json }>
}
