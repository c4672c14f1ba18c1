// An error that a person can fix: shown as its message only, without a stack.

import { inspect } from "node:util"
import { logText } from "../src/core/secrets/log-text.ts"

export class Trouble extends Error {
  /** The process's exit code; undefined: 1. */
  readonly code: number | undefined

  constructor(message: string, code?: number) {
    super(message)
    this.code = code
  }
}

/** Runs a command's main; a Trouble prints one line, any other error is a bug and keeps its stack. */
export async function runMain(main: () => Promise<void>): Promise<void> {
  try {
    await main()
  } catch (error) {
    console.error(error instanceof Trouble ? `sluice: ${error.message}` : logText(inspect(error)))
    process.exit((error instanceof Trouble && error.code) || 1)
  }
}
