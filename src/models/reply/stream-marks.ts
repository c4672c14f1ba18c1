// Recognizes the end mark of each API [M1]: after it a reply is complete, even when the server leaves the connection open. Takes whole
// lines.

/** `now`: nothing follows. `soon`: a report of usage or the mark itself may follow, within `GRACE_MS`. */
export type Over = "now" | "soon" | undefined

/** Limit: milliseconds that a whole reply waits for what may follow → the reply counts without it. */
export const GRACE_MS = 2_000

/** What is known of one stream while its lines pass. */
export interface Known {
  /** Passes on the lines whose events the library knows. */
  take(lines: string): string
  /** What the stream lacks at its end. */
  rest(): string
  readonly over: Over
}

/** In a text of the reply each quote has a backslash before it. */
const RESPONSES = /"type" ?: ?"response\.(?:completed|incomplete|failed)"/
const GEMINI = /"finishReason" ?: ?"/

/** Passes on every line. */
const passing = (overAt: (lines: string) => Over) => (): Known => {
  let over: Over
  return {
    take(lines) {
      over = overAt(lines) ?? over
      return lines
    },
    rest: () => "",
    get over() {
      return over
    },
  }
}

/** An API without a mark of its own. */
export const anyMarks = passing(() => undefined)
export const responsesMarks = passing((lines) => (RESPONSES.test(lines) ? "now" : undefined))
/** Some versions give every event a reason. */
export const geminiMarks = passing((lines) => (GEMINI.test(lines) ? "soon" : undefined))
