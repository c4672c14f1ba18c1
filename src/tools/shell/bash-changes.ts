// BashChanges: records the writes and removals of one shell call. Nothing reaches the workspace before the call ends.

import { Breath } from "../../ports/breath.ts"
import { MAX_FILE_BYTES, type Workspace } from "../../ports/workspace.ts"
import { fault } from "./bash-fault.ts"

/** Limit on one call's unwritten bytes: an isolate has 128 MB for everything in it. */
const MOST_BYTES = 32 * 1024 * 1024 // limit: bytes that one command line writes → the tool fails, and nothing is written
/** Each file costs a request to the store. */
const MOST_WRITTEN = 1_000 // limit: files that one command line writes → the tool fails, and nothing is written

/** What a file costs when it is stored: a hash, a request and a row take half a millisecond and more. */
const FILE_STEPS = 50_000
/** Copying a body is fast. */
const BYTES_PER_STEP = 64

export class BashChanges {
  /** A body, or null for a removed file. */
  readonly #changed = new Map<string, Uint8Array | null>()
  readonly #stored = new Set<string>()
  #held = 0
  #bodies = 0

  /** The workspace has this file. */
  stored(path: string): void {
    this.#stored.add(path)
  }

  /** Undefined or null: the call wrote no such file. */
  body(path: string): Uint8Array | null | undefined {
    return this.#changed.get(path)
  }

  /** `shown` is the path as the command named it. Answers the steps that it costs [T6]. */
  put(at: string, shown: string, body: Uint8Array): number {
    if (body.length > MAX_FILE_BYTES) throw fault("EFBIG", `a file may have ${MAX_FILE_BYTES} bytes`, "write", shown)
    const before = this.#changed.get(at)
    const held = this.#held - (before?.length ?? 0) + body.length
    if (held > MOST_BYTES) throw fault("ENOSPC", `one call may write ${MOST_BYTES} bytes`, "write", shown)
    if (!before && this.#bodies >= MOST_WRITTEN) throw fault("ENOSPC", `one call may write ${MOST_WRITTEN} files`, "write", shown)
    if (!before) this.#bodies += 1
    this.#held = held
    this.#changed.set(at, body)
    return (before ? 0 : FILE_STEPS) + Math.ceil(body.length / BYTES_PER_STEP)
  }

  remove(at: string): void {
    const body = this.#changed.get(at)
    if (body) this.#bodies -= 1
    this.#held -= body?.length ?? 0
    if (this.#stored.has(at)) this.#changed.set(at, null)
    else this.#changed.delete(at)
  }

  /** Stages every change; removals first, because a folder may replace a file. */
  async flush(workspace: Workspace, signal: AbortSignal): Promise<void> {
    for (const [path, body] of this.#changed) if (body === null) await workspace.remove(path)
    const written = [...this.#changed].filter((entry): entry is [string, Uint8Array] => entry[1] !== null)
    await new Breath(signal).each(written, ([path, body]) => workspace.write(path, body))
  }
}
