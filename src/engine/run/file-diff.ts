// Compares a workspace at two moments [K5]: which files were added, changed and removed, and which lines of texts. The work of one answer
// is bounded: by files per page, bytes, and comparisons of lines.

import { unifiedDiff, type DiffBudget } from "../../core/text/line-diff.ts"
import type { ChangedPage, ChangedRow } from "../../ports/run.ts"
import type { FileEntry } from "../../ports/workspace.ts"

/** Limit: bytes of a text that a diff compares by lines → its lines are left out, and `cut` says so. */
export const MAX_TEXT_BYTES = 256 * 1024
/** Limit: bytes of all files that one answer of a diff reads → the lines of further ones are left out. */
export const MAX_READ_BYTES = 4 * 1024 * 1024
/** Limit: characters of the lines of one file in a diff → the rest is cut. */
export const MAX_DIFF_CHARS = 64 * 1024
const MAX_COMPARISONS = 1_000_000 // limit: comparisons of lines in one answer of a diff → the lines of further files are left out

interface Pair {
  readonly path: string
  readonly before: FileEntry | undefined
  readonly after: FileEntry | undefined
}

/** In the order of their paths. */
function pairsOf(before: readonly FileEntry[], after: readonly FileEntry[]): Pair[] {
  const [old, fresh] = [before, after].map((files) => new Map(files.map((entry) => [entry.path, entry])))
  const paths = [...new Set([...(old?.keys() ?? []), ...(fresh?.keys() ?? [])])].sort()
  return paths
    .map((path) => ({ path, before: old?.get(path), after: fresh?.get(path) }))
    .filter((pair) => pair.before?.hash !== pair.after?.hash)
}

/** A page of changes. `past`: only paths after this one. */
export async function changedPage(
  before: readonly FileEntry[],
  after: readonly FileEntry[],
  { limit, past = "" }: { readonly limit: number; readonly past?: string },
  read: (hash: string) => Promise<Uint8Array | undefined>,
): Promise<ChangedPage> {
  const pairs = pairsOf(before, after).filter(({ path }) => path > past)
  const budget: Budget = { left: MAX_COMPARISONS, bytes: MAX_READ_BYTES }
  const rows: ChangedRow[] = []
  // One after the other: each may leave less for the next.
  for (const pair of pairs.slice(0, limit)) rows.push(await rowOf(pair, budget, read))
  return { rows, more: pairs.length > limit }
}

interface Budget extends DiffBudget {
  bytes: number
}

async function rowOf(
  { path, before, after }: Pair,
  budget: Budget,
  read: (hash: string) => Promise<Uint8Array | undefined>,
): Promise<ChangedRow> {
  const row = {
    path,
    state: before === undefined ? ("added" as const) : after === undefined ? ("removed" as const) : ("changed" as const),
    before: before?.size ?? null,
    after: after?.size ?? null,
  }
  const sizes = [before?.size ?? 0, after?.size ?? 0]
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  if (sizes.some((size) => size > MAX_TEXT_BYTES) || bytes > budget.bytes || budget.left <= 0)
    return { ...row, binary: null, diff: null, cut: true }
  budget.bytes -= bytes
  const [old, fresh] = await Promise.all([before, after].map(async (entry) => (entry === undefined ? "" : textOf(await read(entry.hash)))))
  if (old === undefined || fresh === undefined) return { ...row, binary: null, diff: null, cut: true }
  if (old === BINARY || fresh === BINARY) return { ...row, binary: true, diff: null, cut: false }
  const diff = unifiedDiff(old, fresh, budget)
  if (diff.length <= MAX_DIFF_CHARS) return { ...row, binary: false, diff, cut: false }
  const end = diff.lastIndexOf("\n", MAX_DIFF_CHARS - 1)
  return { ...row, binary: false, diff: diff.slice(0, end + 1), cut: true }
}

const BINARY = Symbol("binary")

/** undefined: the body is gone. */
function textOf(body: Uint8Array | undefined): string | typeof BINARY | undefined {
  if (body === undefined) return undefined
  if (body.includes(0)) return BINARY
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body)
  } catch {
    return BINARY
  }
}
