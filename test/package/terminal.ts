// The command line at a terminal: in a pseudo-terminal of `script`, which every Debian has (bsdutils) and no dependency brings.

import { spawn, type ChildProcessByStdio } from "node:child_process"
import type { Readable, Writable } from "node:stream"
import { fileURLToPath } from "node:url"
import { stripVTControlCharacters } from "node:util"

const CLI = fileURLToPath(new URL("../../cli/sluice.ts", import.meta.url))

/** What other processes of this run of the tests have compiled (vitest.config.ts). */
const { NODE_COMPILE_CACHE } = process.env
const COMPILED = NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }

/** What a person types. */
export const KEY = { enter: "\r", down: "\u001B[B", interrupt: "\u0003" } as const

/** For what hangs and nothing else. */
/** A prompt is drawn in far less. */
const AGAIN_MS = 5_000
const PATIENCE_MS = 120_000

export class Terminal {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>
  readonly #ended: Promise<number>
  #text = ""
  /** What was waited for is behind it. */
  #read = 0
  #wake = (): void => {}

  constructor(args: readonly string[], { cwd, env = {} }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> }) {
    const words = [process.execPath, CLI, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ")
    // A person's environment: with CI set, nothing is asked. A new pseudo-terminal has no size.
    this.#child = spawn("/usr/bin/script", ["-qfec", `stty cols 100 rows 40; exec ${words}`, "/dev/null"], {
      cwd,
      env: {
        PATH: process.env["PATH"],
        HOME: cwd,
        TERM: "xterm",
        SHELL: "/bin/sh",
        SLUICE_PROFILES: `${cwd}/no-profiles.json`,
        ...COMPILED,
        ...env,
      },
      stdio: ["pipe", "pipe", "inherit"],
    })
    this.#child.stdout.setEncoding("utf8").on("data", (part: string) => {
      this.#text += part
      this.#wake()
    })
    this.#ended = new Promise((resolve) => {
      this.#child.once("close", (code) => {
        resolve(code ?? -1)
        this.#wake()
      })
    })
  }

  /** All that was printed, without colors. */
  get text(): string {
    return stripVTControlCharacters(this.#text).replaceAll("\r", "")
  }

  /** Waits until the terminal shows it, after what was waited for before. */
  async until(says: RegExp): Promise<RegExpExecArray> {
    const deadline = AbortSignal.timeout(PATIENCE_MS)
    for (;;) {
      const found = says.exec(this.text.slice(this.#read))
      if (found !== null) {
        this.#read += found.index + found[0].length
        return found
      }
      if (deadline.aborted || this.#child.exitCode !== null) throw new Error(`the terminal never said ${says}:\n${this.text}`)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
        deadline.addEventListener("abort", () => resolve(), { once: true })
      })
    }
  }

  type(...keys: readonly string[]): void {
    for (const key of keys) this.#child.stdin.write(key)
  }

  /** Presses the key as a person does, again if nothing comes of it: while a prompt closes, a terminal swallows what is typed. */
  async press(key: string, says: RegExp): Promise<void> {
    const again = setInterval(() => this.type(key), AGAIN_MS)
    this.type(key)
    try {
      await this.until(says)
    } finally {
      clearInterval(again)
    }
  }

  /** The exit code of the command. */
  ended(): Promise<number> {
    return this.#ended
  }

  async close(): Promise<void> {
    // `script` passes the hang-up on to what it runs.
    if (this.#child.exitCode === null) this.#child.kill("SIGTERM")
    await this.#ended
  }
}
