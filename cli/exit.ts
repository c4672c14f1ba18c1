// The exit codes of every command: for scripts, so they never change meaning.

export const EXIT = {
  ok: 0,
  /** A run, a test or a request failed. */
  failed: 1,
  usage: 2,
  /** A file or a request is not valid. */
  invalid: 3,
  /** The run waits for a person. */
  waits: 4,
  /** No answer from the server. */
  unreached: 5,
} as const

export const EXIT_SAYS = [
  "0 done",
  "1 a run, a test or a request failed",
  "2 usage error",
  "3 a file or a request is not valid",
  "4 the run waits for a person",
  "5 no connection",
] as const
