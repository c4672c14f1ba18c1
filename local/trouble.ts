// What a person can put right: shown as its message alone, without a stack.

export class Trouble extends Error {}

/** Runs a command's main; a Trouble is told in one line, anything else is our bug and keeps its stack. */
export async function runMain(main: () => Promise<void>): Promise<void> {
  try {
    await main()
  } catch (error) {
    console.error(error instanceof Trouble ? `sluice: ${error.message}` : error)
    process.exit(1)
  }
}
