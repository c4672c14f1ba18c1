// A list of checks, each with its rule, run one after another and counted.

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
