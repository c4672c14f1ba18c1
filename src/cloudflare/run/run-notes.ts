// Stores data of protocols about a run [P24, P27]: the last message of a page, and details of the request. Notes are not part of the run,
// so the journal does not have them.

import type { Json } from "../../core/json.ts"
import type { Answers, RunRooms } from "../../ports/objects.ts"
import type { RunResources } from "./run-resources.ts"
import type { RunStart } from "./run-start.ts"

const PREFIX = "note/"
const MAX_NOTES = 1_000 // limit: notes of protocols about a run → the new one is not kept
const MAX_NOTE_CHARS = 64 * 1024 // limit: characters of a protocol's note about a run → it is not kept
const MAX_NAME = 64 // limit: characters of a note's name → it is not kept

export class RunNotes implements Answers<RunRooms["notes"]> {
  readonly #resources: RunResources
  readonly #starts: RunStart

  constructor(resources: RunResources, starts: RunStart) {
    this.#resources = resources
    this.#starts = starts
  }

  /** What is too large, or one note too many, is not remembered. */
  async note(name: string, value: Json): Promise<void> {
    const { kv } = this.#resources
    if (!(await this.#starts.run()) || name.length > MAX_NAME || JSON.stringify(value).length > MAX_NOTE_CHARS) return
    const isNew = kv.get(PREFIX + name) === undefined
    if (isNew && [...kv.list({ prefix: PREFIX, limit: MAX_NOTES })].length >= MAX_NOTES) return
    kv.put(PREFIX + name, value)
  }

  async noted(name: string): Promise<Json | undefined> {
    return (await this.#starts.run()) ? this.#resources.kv.get<Json>(PREFIX + name) : undefined
  }
}
