// Recognizes the end mark of each API [M1]: after it a reply is complete, even when the server leaves the connection open. Takes whole
// lines.

/** `now`: nothing follows. `soon`: a usage report or the end mark may follow, within `GRACE_MS`. */
export type Over = "now" | "soon" | undefined

/** Limit: milliseconds that a complete reply waits for more → the reply counts without it. */
export const GRACE_MS = 2_000

/** The end of one stream, as known from the lines so far. */
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

/** Marks of an API that sends none. */
export const anyMarks = passing(() => undefined)
export const responsesMarks = passing((lines) => (RESPONSES.test(lines) ? "now" : undefined))
/** Gemini's marks: some versions give every event a finish reason. */
export const geminiMarks = passing((lines) => (GEMINI.test(lines) ? "soon" : undefined))
