// Counts what was expected and what came instead, and keeps the times beside those of the report.

export interface Line {
  readonly what: string
  readonly seconds: number
  /** What the report says for the same. */
  readonly before: string
}

export class Book {
  passed = 0
  failed = 0
  readonly lines: Line[] = []

  check(what: string, isTrue: boolean, otherwise: string): void {
    if (isTrue) this.passed += 1
    else this.failed += 1
    console.log(`${isTrue ? "ok  " : "FAIL"} ${what}${isTrue ? "" : `\n${otherwise.replace(/^/gm, "       ")}`}`)
  }
  /** Every one of `says` is in what was printed. */
  says(what: string, out: string, says: readonly RegExp[]): void {
    const missing = says.filter((one) => !one.test(out))
    this.check(what, missing.length === 0, `${missing.map(String).join(" ")} not in\n${out.slice(-3_000)}`)
  }
  async stage<T>(what: string, before: string, act: () => Promise<T>): Promise<T> {
    const began = performance.now()
    const done = await act()
    const seconds = (performance.now() - began) / 1000
    this.lines.push({ what, seconds, before })
    console.log(`     ${what}: ${seconds.toFixed(1)} s`)
    return done
  }
  table(): string {
    const rows = this.lines.map(({ what, seconds, before }) => `| ${what} | ${seconds.toFixed(1)} s | ${before} |`)
    return ["| what | now | in the report |", "| --- | ---: | ---: |", ...rows].join("\n")
  }
}
