// What a crash test says at its end: each promise with its count, the first faults, and the line that CI reads.

import type { Check } from "./evidence.ts"

/** Whether everything holds. */
export function sayVerdict(of: string, checks: readonly Check[]): boolean {
  const names = new Map<string, { count: number; faults: string[] }>()
  for (const { name, fault } of checks) {
    const seen = names.get(name) ?? { count: 0, faults: [] }
    names.set(name, { count: seen.count + 1, faults: fault === undefined ? seen.faults : [...seen.faults, fault] })
  }
  for (const [name, { count, faults }] of names) {
    console.log(`${faults.length === 0 ? "ok  " : "FAIL"} ${name} (${count - faults.length}/${count})`)
    for (const fault of faults.slice(0, 5)) console.log(`       ${fault}`)
  }
  const failed = checks.filter((it) => it.fault !== undefined).length
  console.log(`\n${of}: ${checks.length - failed} passed, ${failed} failed`)
  return failed === 0
}
