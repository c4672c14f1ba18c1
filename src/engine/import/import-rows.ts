// Imports files of rows that other systems wrote [V31]: each becomes `datasets/NAME.yaml`, and its report names what it leaves out.

import { stringify } from "yaml"
import { MAX_FILE_ROWS } from "../../core/dataset/dataset-file.ts"
import type { EvalsWish } from "../../core/dataset/import/evals.ts"
import { isConfiguration, readRows } from "../../core/dataset/import/read-rows.ts"
import type { RowCase } from "../../core/dataset/row.ts"
import { defined } from "../../core/defined.ts"
import { Breath, PARSED } from "../../ports/breath.ts"
import type { CatalogPort, ImportedFile } from "../../ports/tenant/catalog.ts"
import { sparingly } from "../catalog/catalog-diagnostics.ts"
import { nameFrom } from "./adapt-agent.ts"
import { refusal, reported, type FileReport, type ImportReport } from "./file-report.ts"
import { isLitter, MANY, MAX_FILE_BYTES, MOST_PARSED, textOf, type ForeignFile } from "./sort-files.ts"

const MOST_NAMED = 1_000 // limit: omissions that the report of an imported file of rows names → the others are a number

export interface RowsImport extends EvalsWish {
  readonly flow: string
  readonly prefix: string
  readonly write: boolean
  /** Takes secrets out. */
  readonly clean: (rows: readonly RowCase[]) => Promise<readonly RowCase[]>
}

interface Draft {
  readonly path: string
  readonly target: string
  readonly text: string
  readonly changes: readonly string[]
  readonly replaces?: true
}

export async function importRows(
  files: readonly ForeignFile[],
  tenant: Pick<CatalogPort, "files" | "importFiles">,
  wish: RowsImport,
): Promise<ImportReport> {
  const stored = new Set((await tenant.files()).data.flatMap(({ tier, path }) => (tier === "local" ? [path] : [])))
  const breath = new Breath()
  const taken = new Map<string, string>()
  let parsed = 0
  const made: (Draft | FileReport)[] = []
  for (const file of files) {
    if (isLitter(file.path)) continue
    const size = isConfiguration(file.path) ? (file.bytes?.byteLength ?? 0) : 0
    parsed += size
    const draft = parsed > MOST_PARSED ? refused(file.path, MANY) : await draftOf(file, wish)
    if (!("text" in draft)) made.push(draft)
    else {
      const first = taken.get(draft.target)
      taken.set(draft.target, first ?? file.path)
      if (first !== undefined)
        made.push(refusal({ path: file.path, kind: "dataset" }, "IV-TWICE", `${draft.target} is already made from ${first}`))
      else if (!stored.has(draft.target)) made.push(draft)
      else made.push({ ...draft, changes: [...draft.changes, `replaces the stored ${draft.target}`], replaces: true })
    }
    await breath.take((file.bytes?.byteLength ?? 0) * PARSED)
  }
  const arrivals = made.flatMap((one) => ("text" in one ? [{ kind: "dataset" as const, path: one.target, content: one.text }] : []))
  const answers = new Map((await tenant.importFiles(arrivals, wish.write)).map((answer) => [answer.path, answer]))
  return reported(sparingly(made.map((one) => ("text" in one ? reportOf(one, answers.get(one.target)) : one))), wish.write)
}

const refused = (path: string, why: string): FileReport => refusal({ path }, "IV-FILE", why)

async function draftOf({ path, bytes, fault }: ForeignFile, wish: RowsImport): Promise<Draft | FileReport> {
  if (bytes === undefined) return refused(path, fault ?? "could not be read")
  if (bytes.byteLength > MAX_FILE_BYTES) return refused(path, "is larger than 2 MiB")
  const text = textOf(bytes)
  if (text === undefined) return refused(path, "is not UTF-8 text: only text is imported")
  const read = readRows(path, text, wish)
  if (!read.ok) return refused(path, read.error)
  const { rows, left_out } = read.value
  if (rows.length === 0) return refused(path, `has no row that could be imported${left_out[0] ? `: ${said(left_out[0])}` : ""}`)
  if (rows.length > MAX_FILE_ROWS)
    return refused(path, `has ${rows.length} rows, and a file of the catalog at most ${MAX_FILE_ROWS}: add them with sluice datasets add`)
  const stem = path.slice(path.lastIndexOf("/") + 1).replace(/\.[^.]*$/, "")
  const name = nameFrom(stem)
  if (name === "") return refused(path, "has a name without letters and digits, which a dataset needs")
  const named = left_out.slice(0, MOST_NAMED).map((one) => `leaves out ${said(one)}`)
  const more = left_out.length - named.length
  return {
    path,
    target: `datasets/${wish.prefix}${name}.yaml`,
    text: stringify({ flow: wish.flow, rows: await wish.clean(rows) }, { lineWidth: 0 }),
    changes: [
      `its ${rows.length === 1 ? "test is a row" : `${rows.length} tests are rows`} for ${wish.flow}`,
      ...named,
      ...(more > 0 ? [`leaves out ${more} more`] : []),
    ],
  }
}

const said = ({ at, why }: { readonly at: string; readonly why: string }): string => `${at}: ${why}`

const reportOf = ({ path, target, changes, replaces }: Draft, answer: ImportedFile | undefined): FileReport => ({
  path,
  kind: "dataset",
  status: answer?.accepted === true ? "changed" : "refused",
  target,
  changes,
  diagnostics: answer?.diagnostics ?? [],
  ...defined({ replaces }),
})
