// Imports files of other programs and reports on each. Lenient in reading, strict in writing: every written file
// passes the same checks as any write, among the other files, and failing files are reported and left out.
//
// Skills go first, so that agents that name them pass. Without `write` nothing changes and the report says what would happen.

import { defined } from "../../core/defined.ts"
import type { DefinitionKind } from "../../core/flow/catalog-kinds.ts"
import { catalogPath } from "../../core/flow/path-id.ts"
import type { ImportedFile, CatalogPort } from "../../ports/tenant/catalog.ts"
import { sparingly } from "../catalog/catalog-diagnostics.ts"
import { Breath } from "../../ports/breath.ts"
import { adaptAgent, nameFrom, type Adapted } from "./adapt-agent.ts"
import type { ImportWorld } from "./adapt-tools.ts"
import { adaptCommand } from "./adapt-command.ts"
import { adaptSkill } from "./adapt-skill.ts"
import { ownerOf } from "./layout.ts"
import { byPlace, byPrecedence } from "./precedence.ts"
import { renameFlows } from "./prefix.ts"
import { textTokens } from "../../core/tool/tool-tokens.ts"
import { refusal, reported, type FileReport, type ImportReport } from "./file-report.ts"
import { folderName, isLitter, sortFiles, type ForeignFile, type Sorted } from "./sort-files.ts"

interface Draft {
  readonly path: string
  readonly kind: DefinitionKind
  readonly target: string
  readonly text: string
  readonly changes: readonly string[]
  readonly replaces?: true
}

const ORDER: Readonly<Record<DefinitionKind, number>> = {
  skill: 0,
  agent: 1,
  code: 2,
  flow: 3,
  rehearsal: 4,
  test: 5,
  "scorer-code": 6,
  scorer: 7,
}

export async function importFiles(
  files: readonly ForeignFile[],
  tools: Iterable<string>,
  tenant: Pick<CatalogPort, "files" | "importFiles">,
  write: boolean,
  prefix = "",
): Promise<ImportReport> {
  const stored = (await tenant.files()).data
  // What is read first is also what the bound of one import leaves room for.
  const sorted = byPrecedence(sortFiles(byPlace(files)))
  const breath = new Breath()
  const skills = skillsOf(sorted, prefix)
  const world: ImportWorld = {
    tools: new Set(tools),
    skills: new Set([...stored.flatMap((row) => (row.kind === "skill" ? [row.id.split("/")[0] ?? ""] : [])), ...skills.names.values()]),
    prefix,
    renamed: skills.names,
  }
  const present = new Map(stored.flatMap((row) => (row.tier === "local" ? [[row.path, row.hash] as const] : [])))

  const reports = new Map<string, FileReport>()
  const drafts: Draft[] = []
  const taken = new Map<string, Draft>()
  for (const file of byRank(sorted)) {
    const draft = file.kind === "other" ? refusal(file, "IV-FILE", file.why) : settled(file, skills, world, taken)
    if (!("text" in draft)) reports.set(file.path, draft)
    else {
      taken.set(draft.target, draft)
      if (!present.has(draft.target)) drafts.push(draft)
      else drafts.push({ ...draft, changes: [...draft.changes, `replaces the stored ${draft.target}`], replaces: true })
    }
    if (file.kind !== "other") await breath.take(file.text.length)
  }
  if (prefix !== "") renameFlows(drafts, prefix)
  const ordered = [...drafts].sort((a, b) => ORDER[a.kind] - ORDER[b.kind] || rank(a) - rank(b))
  const arrivals = ordered.map(({ kind, target, text }) => ({ kind, path: target, content: text }))
  const answers = new Map((await tenant.importFiles(arrivals, write)).map((answer) => [answer.path, answer]))
  const failedSkills = new Set(
    ordered.flatMap((draft) => (rank(draft) === 0 && !answers.get(draft.target)?.accepted ? [skillOf(draft)] : [])),
  )
  for (const draft of ordered) reports.set(draft.path, reportOf(draft, answers.get(draft.target), failedSkills))
  const data = sparingly(files.flatMap(({ path }) => (isLitter(path) ? [] : (reports.get(path) ?? []))))
  return reported(data, write)
}

/** A command gives way to a skill of its name. */
const byRank = (sorted: readonly Sorted[]): readonly Sorted[] => [
  ...sorted.filter((file) => file.kind !== "command"),
  ...sorted.filter((file) => file.kind === "command"),
]

/** A skill's SKILL.md comes before its other files. */
const rank = (draft: Draft): number => (/^skills\/[^/]+\/SKILL\.md$/.test(draft.target) ? 0 : 1)

interface Skills {
  /** A skill's folder in the import → its adapted SKILL.md. */
  readonly byRoot: ReadonlyMap<string, Adapted>
  /** By path. */
  readonly commands: ReadonlyMap<string, Adapted>
  /** The skills that come in: their own name → the name that they get. */
  readonly names: ReadonlyMap<string, string>
}

function skillsOf(sorted: readonly Sorted[], prefix: string): Skills {
  const byRoot = new Map<string, Adapted>()
  const texts = new Map<string, string>()
  const names = new Map<string, string>()
  for (const file of sorted) {
    if (file.kind !== "skill" || file.file !== "SKILL.md") continue
    let skill = adaptSkill(file.text, folderName(file.root), prefix)
    const other = texts.get(skill.name)
    if (other !== undefined && other !== skill.text) {
      const owner = nameFrom(ownerOf(file.root) ?? "")
      if (owner !== "") skill = adaptSkill(file.text, folderName(file.root), prefix, `${owner}-${skill.name.slice(prefix.length)}`)
    }
    byRoot.set(file.root, skill)
    if (!texts.has(skill.name)) texts.set(skill.name, skill.text)
    const bare = skill.name.slice(prefix.length)
    if (!names.has(bare)) names.set(bare, skill.name)
  }
  const commands = new Map<string, Adapted>()
  for (const file of sorted) {
    if (file.kind !== "command") continue
    const adapted = adaptCommand(file.text, file.reading, prefix)
    const { name } = adapted
    commands.set(file.path, adapted)
    if (!names.has(name.slice(prefix.length))) names.set(name.slice(prefix.length), name)
  }
  return { byRoot, names, commands }
}

/** The draft of a file. A name that another file of the import has gets the folder that tells them apart; a second copy is not stored. */
function settled(
  file: Exclude<Sorted, { kind: "other" }>,
  skills: Skills,
  world: ImportWorld,
  taken: ReadonlyMap<string, Draft>,
): Draft | FileReport {
  const draft = draftOf(file, skills, world)
  const first = "text" in draft ? taken.get(draft.target) : undefined
  if (!("text" in draft) || first === undefined) return draft
  const { path, kind, target } = draft
  if (first.text === draft.text && file.kind !== "flow")
    return { path, kind, status: "changed", target, changes: [`has the same text as ${first.path}, which is stored once`], diagnostics: [] }
  const owner = nameFrom(ownerOf(path) ?? "")
  if ((file.kind === "agent" || file.kind === "command") && owner !== "" && owner !== nameFrom(ownerOf(first.path) ?? "")) {
    const stem = nameOf(draft).slice(world.prefix?.length ?? 0)
    const again = draftOf({ ...file, reading: { ...file.reading, name: `${owner}-${stem}`.slice(0, 64) } }, skills, world)
    if ("text" in again && !taken.has(again.target)) return again
  }
  if (file.kind === "command") {
    const again = draftOf({ ...file, reading: { ...file.reading, name: `${nameOf(draft)}-command` } }, skills, world)
    if ("text" in again && !taken.has(again.target)) return again
  }
  return refusal(
    file.kind === "command" ? { path, kind: "skill" } : { path, kind: file.kind },
    "IV-TWICE",
    `${target} is already made from ${first.path}`,
  )
}

/** `agents/NAME.md`, `skills/NAME/SKILL.md` */
const nameOf = ({ target }: Draft): string => target.split("/")[1]?.replace(/\.md$/, "") ?? ""

function draftOf(file: Exclude<Sorted, { kind: "other" }>, skills: Skills, world: ImportWorld): Draft | FileReport {
  const { path, text } = file
  switch (file.kind) {
    case "agent": {
      const adapted = adaptAgent(text, file.reading, world)
      return { path, kind: "agent", target: `agents/${adapted.name}.md`, text: adapted.text, changes: adapted.changes }
    }
    case "command": {
      const before = file.reading.name === undefined ? skills.commands.get(path) : undefined
      const adapted = before ?? adaptCommand(text, file.reading, world.prefix)
      return { path, kind: "skill", target: `skills/${adapted.name}/SKILL.md`, text: adapted.text, changes: adapted.changes }
    }
    case "skill": {
      const skill = skills.byRoot.get(file.root)
      if (skill === undefined) return refusal({ path, kind: "skill" }, "IV-FILE", "belongs to a skill whose SKILL.md could not be read")
      const target = `skills/${skill.name}/${file.file}`
      const place = catalogPath(target)
      if (!place.ok) return refusal({ path, kind: "skill" }, "IV-FILE", place.error)
      if (file.file === "SKILL.md") return { path, kind: "skill", target, text: skill.text, changes: skill.changes }
      return { path, kind: "skill", target, text, changes: [] }
    }
    default:
      return { path, kind: file.kind, target: file.target, text, changes: file.target === path ? [] : [`is stored as ${file.target}`] }
  }
}

/** `skills/NAME/` */
const skillOf = ({ target }: Draft): string => `${target.split("/", 2).join("/")}/`

function reportOf(draft: Draft, answer: ImportedFile | undefined, failedSkills: ReadonlySet<string>): FileReport {
  const { path, kind, target, changes } = draft
  const root = skillOf(draft)
  if (kind === "skill" && rank(draft) !== 0 && failedSkills.has(root))
    return refusal(draft, "IV-SKILL", `the SKILL.md of ${root} was refused`)
  const status = answer?.accepted !== true ? "refused" : changes.length === 0 ? "imported" : "changed"
  const read = kind === "agent" || (kind === "skill" && rank(draft) === 0)
  return {
    path,
    kind,
    status,
    target,
    changes,
    diagnostics: answer?.diagnostics ?? [],
    ...defined({ replaces: draft.replaces }),
    ...(read ? { tokens: textTokens(draft.text) } : {}),
  }
}
