// A list of checks, each with its rule, run one after another and counted.

import assert from "node:assert/strict"

export interface Check {
  readonly name: string
  run(): Promise<void>
}

export async function runChecks(checks: readonly Check[]): Promise<{ readonly passed: number; readonly failed: number }> {
  let passed = 0
  let failed = 0
  for (const { name, run } of checks) {
    const began = Date.now()
    try {
      await run()
      passed++
      console.log(`ok   ${name} (${Date.now() - began} ms)`)
    } catch (error) {
      failed++
      console.log(`FAIL ${name}\n     ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
    }
  }
  return { passed, failed }
}

/** Fails after half a minute, as a page does that is waited for. */
export async function until(is: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 1_200; tries++) {
    if (await is()) return
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  assert.fail("it did not come about in 30 s")
}
