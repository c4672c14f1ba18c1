// What a handler gets besides its input [F24]: the second argument of its default export.

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
}
