// What a rollback would do, asked as a plan of the catalog: nothing is written.

import type { CatalogPlan } from "../../../src/api/doc/catalog.doc.ts"
import type { Merge } from "../../../src/api/catalog.ts"
import { PACKED_FOLDERS } from "../../../src/core/flow/catalog-kinds.ts"
import type { JsonObject } from "../../../src/core/json.ts"
import { isDefinition } from "../flows/is-definition.ts"
import { faultOf } from "../parts/fault.ts"
import type { Api } from "../shell/session.ts"
import type { Touch } from "../../../web/flow/revision-words.ts"

export interface Back {
  readonly changes: readonly { readonly path: string; readonly status: "added" | "changed" | "removed" }[]
  /** What writes it, as a merge. */
  readonly files: Merge
  readonly breaks: CatalogPlan["breaks"]
  /** What the gate says if it holds it back. */
  readonly held: JsonObject | undefined
  /** Why it cannot be said beforehand. */
  readonly unknown: string | undefined
}

/** More files are not read one by one before a question. */
const MOST = 200
const AT_ONCE = 6

export async function backTo(api: Api, target: number, now: number, takes: Touch): Promise<Back> {
  const { data } = await api.catalog.diff({ from: target, to: now })
  // Seen backward: what was added since goes.
  const backward = { added: "removed", removed: "added", changed: "changed" } as const
  const changes = data.filter(({ path }) => takes(path)).map(({ path, status }) => ({ path, status: backward[status] }))
  const none = { changes, files: {}, breaks: [], held: undefined }
  if (changes.length === 0) return { ...none, unknown: undefined }
  if (changes.length > MOST) return { ...none, unknown: `More than ${MOST} files change: you will see what breaks once it is done.` }
  const files = await filesAt(api, target, changes)
  try {
    const { breaks, gate } = await api.catalog.plan({ mode: "merge", ...files })
    return { changes, files, breaks, held: gate.passed ? undefined : gate.report, unknown: undefined }
  } catch (error) {
    return { changes, files, breaks: [], held: undefined, unknown: faultOf(error) }
  }
}

async function filesAt(api: Api, target: number, changes: Back["changes"]): Promise<Merge> {
  const known = new Map((await api.catalog.list(target)).data.map((file) => [file.path, file]))
  const folders: Record<string, Record<string, string>> = {}
  const gone: string[] = []
  const open = [...changes]
  const work = async (): Promise<void> => {
    for (let change = open.shift(); change; change = open.shift()) {
      const { path, status } = change
      if (status === "removed") {
        gone.push(path)
        continue
      }
      const file = known.get(path)
      const folder = PACKED_FOLDERS.find((name) => path.startsWith(`${name}/`))
      if (!folder || !file || !isDefinition(file)) continue
      const texts = (folders[folder] ??= {})
      texts[path.slice(folder.length + 1)] = await api.catalog.read(file.kind, file.id, target)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return {
    ...folders,
    ...(gone.length === 0 ? {} : { delete: gone }),
  }
}
