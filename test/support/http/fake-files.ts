// Files that a caller brings, kept in memory.

import { keepFiles } from "../../../src/engine/run/keep-files.ts"
import { sha256 } from "../../../src/engine/sha256.ts"
import type { Redactor } from "../../../src/core/secrets/redact.ts"
import type { GivenFilesPort } from "../../../src/ports/given-files.ts"
import type { StoredObject } from "../../../src/ports/tool.ts"

export class FakeFiles implements GivenFilesPort {
  /** hash → body. */
  bodies = new Map<string, Uint8Array>()
  objects = new Map<string, StoredObject>()
  /** How often a request that kept some was refused. */
  left = 0
  full: string | undefined
  readonly #redactor: () => Promise<Redactor>

  constructor(redactor: () => Promise<Redactor>) {
    this.#redactor = redactor
  }

  keep: GivenFilesPort["keep"] = (files, pointer) =>
    keepFiles(files, pointer, {
      blobs: {
        put: async (body) => {
          const hash = await sha256(body)
          this.bodies.set(hash, body)
          return hash
        },
      },
      objects: { get: async (key) => this.objects.get(key) },
      redactor: this.#redactor,
    })

  leave(): void {
    this.left++
  }

  async tooMuch(): Promise<string | undefined> {
    return this.full
  }
}
