// Describes what an apply would do, as the server reports it, and words it for a person. Pure.

import type { Bundle } from "../../src/api/catalog.ts"
import type { CatalogList, CatalogPlan } from "../../src/api/doc/catalog.doc.ts"
import { plain } from "../../local/show-run.ts"
import { catalogFolder } from "../../src/core/flow/catalog-kinds.ts"
import type { Json } from "../../src/core/json.ts"
import type { PackedHandler } from "../handlers/packed.ts"
import { gateLines } from "../shown/gate-lines.ts"
import { filesOf, KINDS } from "./difference.ts"
import type { Differs } from "./environment.ts"
import type { FoundDiagnostics } from "./places.ts"

/** The server's plan, and what `plan` and `apply` add to it. Scripts read its members, so none is renamed. */
export interface ProjectPlan extends Omit<CatalogPlan, "diagnostics"> {
  readonly diagnostics: FoundDiagnostics
  readonly mode: "merge" | "replace"
  /** null: the project has no name. */
  readonly project: string | null
  /** Only on the server, in a folder that the project has; `--prune` removes them. */
  readonly kept: readonly string[]
  /** Of each changed file: hunks of a unified diff, from the server's text to this one. */
  readonly diffs: Readonly<Record<string, string>>
  /** null: the files are as they are in the folder. */
  readonly environment: { readonly name: string; readonly differs: readonly Differs[] } | null
  /** Handlers that are sent with what they import, in one file. */
  readonly handlers: readonly PackedHandler[]
}

/** Catalog paths on the server that the folder lacks. A kind without a folder is not the project's. */
export function onlyThere(folder: Bundle, { data }: Pick<CatalogList, "data">): readonly string[] {
  const ours = filesOf(folder)
  const kinds = new Set<string>(KINDS.filter((kind) => folder[kind] !== undefined))
  return data.flatMap(({ path, tier }) => (tier === "local" && !ours.has(path) && kinds.has(catalogFolder(path)) ? [path] : [])).sort()
}

const NAME = 100
/** The name that the server knows the project by; sluice.yaml allows any text. undefined: nothing of it is left. */
export function projectName(name: string | undefined): string | undefined {
  const slug = (name ?? "")
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, NAME)
    .replace(/-+$/, "")
  return slug === "" ? undefined : slug
}

type Outcome = Pick<CatalogPlan, "added" | "changed" | "removed">
export const changesNothing = ({ added, changed, removed }: Outcome): boolean => added.length + changed.length + removed.length === 0

/** Whether two plans say the same: then the catalog's move between them concerns nobody. */
export const isSamePlan = (a: Outcomes, b: Outcomes): boolean => outcomeOf(a) === outcomeOf(b)
type Outcomes = Omit<CatalogPlan, "diagnostics">
const outcomeOf = ({ added, changed, removed, breaks, drift, gate }: Outcomes): string => {
  const touched = drift.changes.flatMap((row) => (row.overwritten ? [[row.path, row.revision]] : []))
  return JSON.stringify([added, changed, removed, breaks, touched, gate.passed])
}

/** `below`: the lines below a file's path. */
export function planLines(plan: ProjectPlan, below: (path: string) => readonly string[] = () => []): readonly string[] {
  return [
    ...environmentLines(plan),
    ...plan.added.flatMap((path) => [`+ ${plain(path)}${bundleOf(plan, path)}`, ...below(path)]),
    ...plan.changed.flatMap((path) => [`~ ${plain(path)}${bundleOf(plan, path)}`, ...below(path)]),
    ...plan.removed.flatMap((path) => [`- ${plain(path)}`, ...below(path)]),
    ...plan.kept.map((path) => `  ${plain(path)} is only on the server; --prune removes it`),
    ...driftLines(plan),
    ...plan.breaks.map(({ kind, id, name, why }) => `! breaks ${kind} ${plain(name ?? id)}: ${plain(why)}`),
    ...gateLines(plan),
  ]
}

/** Longer values are cut: the diff has them. */
const MOST_VALUE = 60
const valueText = (value: Json): string => {
  const text = plain(JSON.stringify(value))
  return text.length > MOST_VALUE ? `${text.slice(0, MOST_VALUE)}…` : text
}

function environmentLines({ environment }: ProjectPlan): readonly string[] {
  return (environment?.differs ?? []).map(({ path, pointer, from, to }) => {
    const what = to === undefined ? "is left out" : `is ${valueText(to)}`
    const before = from === undefined ? "" : ` (in the folder: ${valueText(from)})`
    return `  ${environment?.name}: ${plain(path)}${pointer === "" ? "" : ` ${plain(pointer)}`} ${what}${before}`
  })
}

/** What is sent of a handler that imports something. */
function bundleOf({ handlers }: ProjectPlan, path: string): string {
  const one = handlers.find((handler) => handler.path === path)
  if (one === undefined) return ""
  const files = one.files.length === 1 ? "1 file" : `${one.files.length} files`
  const what = [files, ...one.packages].map(plain).join(", ")
  return `  (${what}: ${(one.bytes / 1024).toFixed(1)} KiB, sha256 ${one.hash.slice(0, 12)})`
}

function driftLines({ drift }: Outcomes): readonly string[] {
  const rows = drift.changes.map(({ path, status, revision, by, overwritten }) => {
    const who = by === null ? "" : ` by ${plain(by)}`
    const then = overwritten ? "the apply overwrites this" : "it stays"
    return `! drift ${plain(path)}: ${status}${who} in revision ${revision}, since the last apply; ${then}`
  })
  return drift.more ? [...rows, "! drift: more changes than are listed (sluice catalog history)"] : rows
}
