// Checks the parts of a row that a test's case has too [V29]: files, answers and expectation, by the reader of tests.

import { parseTests } from "../case/parse-tests.ts"
import type { RowCase } from "./row.ts"

export interface RowFault {
  readonly pointer: string
  readonly message: string
}

/** `pointer`: of the row. */
export function rowFaults({ expect, answers, files }: RowCase, pointer: string): RowFault[] {
  const faults: RowFault[] = []
  const parts = { expect, answers, files }
  for (const [part, value] of Object.entries(parts)) {
    if (value === undefined) continue
    const one = { name: "row", expect: {}, [part]: value }
    for (const { severity, message } of parseTests(JSON.stringify({ cases: [one] }), { scorers: "none" }).diagnostics)
      if (severity === "error") faults.push({ pointer: `${pointer}/${part}`, message })
  }
  return faults
}
