// The rows of an import's preview: one for each file, and one for a whole skill.

import type { ImportReport } from "../../../src/api/doc/catalog.doc.ts"
import { counted } from "../parts/figures.ts"

type Reported = ImportReport["data"][number]

export interface ComingRow {
  readonly key: string
  /** As they were given. */
  readonly paths: readonly string[]
  readonly label: string
  readonly becomes: string
  readonly note: string
  readonly tokens: number
  readonly isReplaced: boolean
  readonly warnings: readonly string[]
}

export interface StayingRow {
  readonly path: string
  readonly reason: string
}

const isComing = ({ status }: Reported): boolean => status !== "refused"

export function comingRows({ data }: ImportReport): ComingRow[] {
  const groups = new Map<string, Reported[]>()
  for (const one of data) {
    if (!isComing(one)) continue
    const key = one.kind === "skill" ? (one.target ?? one.path).split("/", 2).join("/") : one.path
    groups.set(key, [...(groups.get(key) ?? []), one])
  }
  return Array.from(groups, ([key, files]): ComingRow => {
    const [first] = files
    const main = files.find(({ target = "" }) => target.endsWith("/SKILL.md")) ?? first
    const isSkill = files.length > 1
    const notes = files.flatMap(({ changes }) => changes)
    return {
      key,
      paths: files.map(({ path }) => path),
      label: isSkill ? `${folderOf(main?.path ?? key)}/` : (first?.path ?? key),
      becomes: isSkill ? `skill, ${counted(files.length, "file")}` : becomesOf(first),
      note: notes.length > MAX_NOTES ? `${notes.slice(0, MAX_NOTES).join("; ")}; and ${notes.length - MAX_NOTES} more` : notes.join("; "),
      tokens: files.reduce((sum, { tokens = 0 }) => sum + tokens, 0),
      isReplaced: files.some(({ replaces }) => replaces === true),
      warnings: files.flatMap(({ path, diagnostics }) =>
        diagnostics.flatMap(({ message, line, silenced }) => (silenced !== undefined ? [] : `${path}, line ${line}: ${message}`)),
      ),
    }
  })
}

export const stayingRows = ({ data }: ImportReport): StayingRow[] =>
  data
    .filter((one) => !isComing(one))
    .map(({ path, diagnostics }) => ({ path, reason: diagnostics.map(({ message }) => message).join("; ") }))

/** `2 agents, 1 skill`. */
export function kindsOf(rows: readonly ComingRow[]): string {
  const counts = new Map<string, number>()
  for (const { becomes } of rows) {
    const kind = becomes.split(/[ ,]/)[0] ?? becomes
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  return counts.size === 0 ? "nothing" : Array.from(counts, ([kind, count]) => counted(count, kind)).join(", ")
}

const MAX_NOTES = 4

function becomesOf(file: Reported | undefined): string {
  if (!file) return ""
  const name =
    (file.target ?? "")
      .split("/")
      .at(file.kind === "skill" ? 1 : -1)
      ?.replace(/\.(?:md|yaml|ts|js)$/, "") ?? ""
  return file.path.endsWith(file.target ?? "") ? file.kind : `${file.kind} ${name}`
}

const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")))
