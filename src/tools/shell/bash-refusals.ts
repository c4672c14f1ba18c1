// BashRefusals: records the writes that the workspace refused in one shell call [G7], and reports them in the output.

import type { Workspace } from "../../ports/workspace.ts"

const MOST_TOLD = 20 // limit: paths told of what was not written → further ones are counted

export class BashRefusals {
  readonly #workspace: Workspace
  /** Targets of redirections that were refused, and why. */
  readonly #closed = new Map<string, string>()
  /** Refused accesses, by path. */
  readonly #denied = new Map<string, string>()

  constructor(workspace: Workspace) {
    this.#workspace = workspace
  }

  /** Refused redirections: the command line failed, whatever its exit code says. */
  get lost(): boolean {
    return this.#closed.size > 0
  }

  /** Refusals that the output does not mention yet; some commands report every error as a missing file. */
  untold(stderr: string): string {
    const lines = [...new Map([...this.#denied, ...this.#closed])].map(([path, why]) => ({ why, line: `bash: ${path}: ${why}\n` }))
    const untold = lines.flatMap(({ why, line }) => (stderr.includes(why) ? [] : [line]))
    return untold.slice(0, MOST_TOLD).join("") + (untold.length > MOST_TOLD ? `[and ${untold.length - MOST_TOLD} more]\n` : "")
  }

  /** Checked before anything is done, so that the command fails and not the call. */
  check(at: string): void {
    const why = this.#workspace.refusal(at)
    if (why === undefined) return
    this.#denied.set(at, `permission denied: ${why}`)
    throw new Error(`permission denied: ${why}`)
  }

  /**
   * A command whose write is refused reports it and fails. A redirection that threw would end the whole script and lose its output,
   * so there the file counts as opened, its content is dropped, and `untold` reports it at the end.
   */
  orClosed(at: string, opening: boolean, put: () => void): void {
    if (this.#closed.has(at)) return
    try {
      put()
    } catch (refusal) {
      if (!opening || !(refusal instanceof Error)) throw refusal
      this.#closed.set(at, refusal.message)
    }
  }
}
