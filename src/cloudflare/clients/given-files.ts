// Stores the files that callers send with starts as bodies in R2 [F55].

import type { Redactor } from "../../core/secrets/redact.ts"
import { keepFiles } from "../../engine/run/keep-files.ts"
import type { GivenFilesPort } from "../../ports/given-files.ts"
import { r2Blobs, type BlobEnv } from "../blobs/blobs-r2.ts"
import { objectReader } from "../blobs/objects-r2.ts"

interface FilesParts {
  readonly later: (work: Promise<unknown>) => void
  readonly redactor: () => Promise<Redactor>
  readonly retain: (hash: string) => Promise<void>
}

export function filesKeeper(env: BlobEnv, tenant: string, { later, redactor, retain }: FilesParts): GivenFilesPort["keep"] {
  const parts = { blobs: r2Blobs(env, tenant, later, { retain }), objects: objectReader(env, tenant), redactor }
  return (files, pointer) => keepFiles(files, pointer, parts)
}

/** Those of one request. `left`: bodies that it stored and that belong to nobody. */
export function requestFiles(
  keep: GivenFilesPort["keep"],
  left: (hashes: readonly string[]) => void,
): Pick<GivenFilesPort, "keep" | "leave"> {
  const kept = new Set<string>()
  return {
    async keep(files, pointer) {
      const stored = await keep(files, pointer)
      if (stored.ok) for (const { hash } of stored.value) kept.add(hash)
      return stored
    },
    leave() {
      if (kept.size > 0) left([...kept])
    },
  }
}
