// Defines the tables beside this file, which describe the bounds of src: file → constant → what it bounds, what answers beyond it, and the
// test that shows it. The value is not here: scripts/limits.ts reads it from the constant.

/** `test`: the file below test/, and a part of the test's title. Absent: no test passes this bound yet. */
export type Limit = readonly [bounds: string, beyond: string, test?: readonly [file: string, title: string]]

export type LimitTable = Readonly<Record<string, Readonly<Record<string, Limit>>>>
