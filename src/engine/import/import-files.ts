// Imports files of other programs and reports on each. Lenient in reading, strict in writing: every written file
// passes the same checks as any write, one file at a time, and failing files are reported and left out.
//
// Skills go first, so that agents that name them pass. Without `write` nothing changes and the report says what would happen.

import { hasErrors, type Diagnostic } from "../../core/diagnostic.ts"
import type { Agent } from "../../core/flow/agent.ts"
import type { DiagnosticCode } from "../../core/flow/parse/codes.ts"
import { catalogPath, flowIdOf } from "../../core/flow/path-id.ts"
import type { Kind, CatalogPort } from "../../ports/catalog.ts"
import { checkAgent, checkFlow, checkSkill } from "../catalog/language.ts"
import { adaptAgent, type ImportWorld } from "./adapt-agent.ts"
import { adaptSkill } from "./adapt-skill.ts"
import { folderName, sortFiles, type ForeignFile, type Sorted } from "./sort-files.ts"

export interface FileReport {
  /** The path as sent. */
  readonly path: string
  readonly kind: Kind | "other"
  /** `changed`: imported with changes. */
  readonly status: "imported" | "changed" | "refused"
  /** The catalog path. */
  readonly target?: string
  readonly changes: readonly string[]
  /** Lines refer to the stored file. */
  readonly diagnostics: readonly Diagnostic[]
}

export interface ImportReport {
  readonly written: boolean
  readonly counts: { readonly imported: number; readonly changed: number; readonly refused: number }
  readonly data: readonly FileReport[]
}

interface Draft {
  readonly path: string
  readonly kind: Kind
  readonly target: string
  readonly text: string
  readonly changes: readonly string[]
}

const ORDER: Readonly<Record<Kind, number>> = { skill: 0, agent: 1, code: 2, flow: 3, rehearsal: 4 }

export async function importFiles(
  files: readonly ForeignFile[],
  tools: Iterable<string>,
  tenant: Pick<CatalogPort, "files" | "validate" | "put">,
  write: boolean,
): Promise<ImportReport> {
  const stored = (await tenant.files()).data
  const sorted = sortFiles(files)
  const skills = skillsOf(sorted)
  const world: ImportWorld = {
    tools: new Set(tools),
    skills: new Set([...stored.flatMap((row) => (row.kind === "skill" ? [row.id.split("/")[0] ?? ""] : [])), ...skills.names]),
  }
  const present = new Map(stored.flatMap((row) => (row.tier === "local" ? [[row.path, row.hash] as const] : [])))

  const reports = new Map<string, FileReport>()
  const drafts: Draft[] = []
  const taken = new Map<string, string>()
  for (const file of sorted) {
    const draft = file.kind === "other" ? refusal(file, "IV-FILE", file.why) : draftOf(file, skills, world)
    const first = "target" in draft ? taken.get(draft.target) : undefined
    if (!("text" in draft)) reports.set(file.path, draft)
    else if (first !== undefined) reports.set(file.path, refusal(file, "IV-TWICE", `${draft.target} is already made from ${first}`))
    else {
      taken.set(draft.target, file.path)
      const replaces = present.has(draft.target) ? [`replaces the stored ${draft.target}`] : []
      drafts.push({ ...draft, changes: [...draft.changes, ...replaces] })
    }
  }
  const agents = new Map(
    drafts.flatMap(({ kind, target, text }) => {
      const agent = kind === "agent" ? checkAgent(text, agentName(target), world.tools, world.skills).value : undefined
      return agent === undefined ? [] : [[agent.name, agent] as const]
    }),
  )
  const failedSkills = new Set<string>()
  for (const draft of [...drafts].sort((a, b) => ORDER[a.kind] - ORDER[b.kind] || rank(a) - rank(b))) {
    const report = await settle(draft, { ...world, agents }, tenant, write, failedSkills)
    if (report.status === "refused" && draft.kind === "skill" && draft.target.endsWith("/SKILL.md") && draft.target.split("/").length === 3)
      failedSkills.add(draft.target.slice(0, -"SKILL.md".length))
    reports.set(draft.path, report)
  }
  const data = sorted.flatMap((file) => reports.get(file.path) ?? [])
  const count = (status: FileReport["status"]): number => data.filter((report) => report.status === status).length
  return { written: write, counts: { imported: count("imported"), changed: count("changed"), refused: count("refused") }, data }
}

/** A skill's SKILL.md comes before its other files. */
const rank = (draft: Draft): number => (/^skills\/[^/]+\/SKILL\.md$/.test(draft.target) ? 0 : 1)

interface Skills {
  /** A skill's folder in the import → its adapted SKILL.md. */
  readonly byRoot: ReadonlyMap<string, { readonly name: string; readonly text: string; readonly changes: readonly string[] }>
  readonly names: readonly string[]
}

function skillsOf(sorted: readonly Sorted[]): Skills {
  const byRoot = new Map<string, { name: string; text: string; changes: readonly string[] }>()
  for (const file of sorted)
    if (file.kind === "skill" && file.file === "SKILL.md") byRoot.set(file.root, adaptSkill(file.text, folderName(file.root)))
  return { byRoot, names: [...byRoot.values()].map((skill) => skill.name) }
}

function draftOf(file: Exclude<Sorted, { kind: "other" }>, skills: Skills, world: ImportWorld): Draft | FileReport {
  const { path, text } = file
  switch (file.kind) {
    case "agent": {
      const adapted = adaptAgent(text, file.stem, world)
      return { path, kind: "agent", target: `agents/${adapted.name}.md`, text: adapted.text, changes: adapted.changes }
    }
    case "skill": {
      const skill = skills.byRoot.get(file.root)
      if (skill === undefined) return refusal(file, "IV-FILE", "belongs to a skill whose SKILL.md could not be read")
      const target = `skills/${skill.name}/${file.file}`
      const place = catalogPath(target)
      if (!place.ok) return refusal(file, "IV-FILE", place.error)
      if (file.file === "SKILL.md") return { path, kind: "skill", target, text: skill.text, changes: skill.changes }
      return { path, kind: "skill", target, text, changes: [] }
    }
    default:
      return { path, kind: file.kind, target: file.target, text, changes: file.target === path ? [] : [`is stored as ${file.target}`] }
  }
}

async function settle(
  draft: Draft,
  world: Company,
  tenant: Pick<CatalogPort, "validate" | "put">,
  write: boolean,
  failedSkills: ReadonlySet<string>,
): Promise<FileReport> {
  const { path, kind, target, text, changes } = draft
  const root = [...failedSkills].find((folder) => target.startsWith(folder))
  if (root !== undefined) return refusal(draft, "IV-SKILL", `the SKILL.md of ${root} was refused`)
  const judged = write ? [] : await judge(draft, world, tenant)
  const report = (diagnostics: readonly Diagnostic[]): FileReport => {
    if (hasErrors(diagnostics)) return { path, kind, status: "refused", target, changes, diagnostics }
    return { path, kind, status: changes.length === 0 ? "imported" : "changed", target, changes, diagnostics }
  }
  if (!write || hasErrors(judged)) return report(judged)
  const result = await tenant.put(kind, target, text)
  if ("stale" in result) throw new Error(`a write without a condition was stale: ${target}`)
  if (result.written || hasErrors(result.diagnostics)) return report(result.diagnostics)
  return refusal(draft, "IV-FILE", result.error ?? "the catalog refused it")
}

interface Company extends ImportWorld {
  readonly agents: ReadonlyMap<string, Agent>
}

const agentName = (target: string): string => target.slice("agents/".length, -".md".length)

/** Checks files of one import against each other; the catalog checks the write again. */
async function judge(draft: Draft, world: Company, tenant: Pick<CatalogPort, "validate">): Promise<readonly Diagnostic[]> {
  const { kind, target, text } = draft
  switch (kind) {
    case "agent":
      return checkAgent(text, agentName(target), world.tools, world.skills).diagnostics
    case "skill":
      return rank(draft) === 0 ? checkSkill(text, target.split("/")[1] ?? "").diagnostics : []
    case "flow": {
      // One check knows only stored agents, the other only imported agents: only a fault that both find counts.
      const stored = await tenant.validate(kind, text, target)
      const along = new Set(checkFlow(text, flowIdOf(target) ?? "", { agents: world.agents }).diagnostics.map(place))
      return stored.filter((d) => d.severity === "warning" || along.has(place(d)))
    }
    default:
      return tenant.validate(kind, text, target)
  }
}

const place = (d: Diagnostic): string => `${d.code} ${d.line} ${d.column ?? 0}`

const refusal = (
  file: { readonly path: string; readonly kind: FileReport["kind"] },
  code: DiagnosticCode,
  message: string,
): FileReport => ({
  path: file.path,
  kind: file.kind,
  status: "refused",
  changes: [],
  diagnostics: [{ code, line: 1, severity: "error", message }],
})
