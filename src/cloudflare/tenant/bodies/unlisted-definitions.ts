// Lists the definitions that no row of a tenant names by their hashes: the files of packages, which their manifests name, and the built-in
// files. A run may have written the same bytes, as an agent does that copies a file of its skill.

import { decode } from "../../../engine/catalog/catalog-bodies.ts"
import { sha256 } from "../../../engine/sha256.ts"
import type { Blobs } from "../../../ports/blobs.ts"
import { builtinFiles } from "../../platform/builtin-files.ts"

const HASH = /\b[0-9a-f]{64}\b/g

export async function unlistedDefinitions(manifests: readonly string[], blobs: Pick<Blobs, "get">): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for (const hash of manifests) {
    const body = await blobs.get(hash)
    for (const named of (body && decode(body))?.match(HASH) ?? []) found.add(named)
  }
  for (const text of Object.values(await builtinFiles())) found.add(await sha256(text))
  return found
}
