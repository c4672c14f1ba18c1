// Collects the results of a map from the journal, page by page, into one file of JSON lines in the order of the items.
// While the children run, the run stores only counts; their results are read once, here.

import type { JsonObject } from "../../core/json.ts"
import type { FileRef } from "../../core/run/event-parts.ts"
import type { EventOf } from "../../core/run/event.ts"
import { collectedPath } from "../../core/run/steps/changed-files.ts"
import type { Journal } from "../../ports/journal.ts"
import type { Blobs } from "../../ports/blobs.ts"
import { INLINE_CHARS } from "../../core/run/steps/lost-list.ts"
import type { Performed } from "./conduct/stage.ts"

const PAGE = 500
/** A workspace file has at most 10 MiB. Beyond this size the lines name the children's runs and leave out their outputs. */
const FILE_CHARS = 8 * 1024 * 1024 // limit: characters of the file of a map's results → its lines name the children's runs

export async function collect(
  props: { readonly journal: Journal; readonly blobs: Blobs },
  { key, step, pass }: { readonly key: string; readonly step: string; readonly pass: number },
  /** Marks of the children's inputs and results, which the file inherits [G11]. */
  marks: { readonly tainted: boolean; readonly private: boolean },
): Promise<Performed> {
  const lines = new Map<number, string>()
  let size = 0
  let failed = 0
  for (let after = 0; ;) {
    const page = props.journal.read(after, PAGE)
    for (const e of page) {
      if (e.type !== "child.ended" || e.step !== step || e.pass !== pass) continue
      if (e.status !== "succeeded") failed += 1
      const line = JSON.stringify(rowOf(e, size < FILE_CHARS))
      size += line.length + 1
      lines.set(e.index, line)
    }
    const last = page.at(-1)
    if (!last || page.length < PAGE) break
    after = last.seq
  }
  const ordered = [...lines].toSorted(([a], [b]) => a - b).map(([, line]) => line)
  const path = collectedPath(step)
  const body = new TextEncoder().encode(ordered.map((line) => `${line}\n`).join(""))
  const hash = await props.blobs.put(body)
  const base = props.journal.stat(path)?.hash ?? null
  const files: FileRef[] = [{ path, action: base === null ? "created" : "modified" }]
  const counts = { total: ordered.length, succeeded: ordered.length - failed, failed }
  // Larger results are only in the file, and what refers to them says so.
  const outputs: JsonObject =
    size <= INLINE_CHARS ? { ...counts, results: ordered.map((l) => JSON.parse(l) as JsonObject) } : { ...counts, bytes: body.byteLength }
  const marked = marks.tainted ? { tainted: true, ...(marks.private ? { private: true } : {}) } : {}
  const changed = [{ path, base, hash, size: body.byteLength, ...marked }]
  return { signal: { type: "collected", key, outputs, files, changed }, files: changed }
}

const rowOf = (e: EventOf<"child.ended">, whole: boolean): JsonObject => ({
  index: e.index,
  run: e.run,
  status: e.status,
  summary: e.summary,
  ...(whole ? { outputs: e.outputs } : {}),
})
