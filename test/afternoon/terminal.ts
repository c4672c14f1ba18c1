// Shows what a program that stays prints, and waits for words of it.

import type { ChildProcess } from "node:child_process"

const LOOK_MS = 20

export class Terminal {
  readonly #child: ChildProcess
  readonly #name: string
  #text = ""

  constructor(child: ChildProcess, name: string) {
    this.#child = child
    this.#name = name
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", (text: string) => (this.#text += text))
  }

  /** Where the text ends now, to wait for what comes after. */
  get here(): number {
    return this.#text.length
  }
  since(at: number): string {
    return this.#text.slice(at)
  }

  /** All of these, in any order, after `at`; what was printed until then, with `missing` if the patience ended first. */
  async until(
    wanted: readonly RegExp[],
    at = 0,
    patienceMs = 120_000,
  ): Promise<{ readonly text: string; readonly missing: readonly RegExp[] }> {
    for (let waited = 0; ; waited += LOOK_MS) {
      const text = this.since(at)
      const missing = wanted.filter((one) => !one.test(text))
      if (missing.length === 0 || waited >= patienceMs) return { text, missing }
      if (this.#child.exitCode !== null) throw new Error(`${this.#name} ended:\n${this.#text}`)
      await new Promise((done) => setTimeout(done, LOOK_MS))
    }
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null) return
    const ended = new Promise((done) => this.#child.once("exit", done))
    this.#child.kill("SIGINT")
    await ended
  }
}
