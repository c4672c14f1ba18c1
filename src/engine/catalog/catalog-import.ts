// Writes many files at once, each independently: a file with errors is left out, and the others are stored in one revision [F73]. They are
// checked together, in one view of the catalog as it would be. One view for each file would cost the size of the catalog 500 times.

import type { Writer } from "../../ports/tenant/authoring/gate.ts"
import { hasErrors, type Diagnostic } from "../../core/diagnostic.ts"
import type { Arrival, ImportedFile, CatalogKind } from "../../ports/tenant/catalog.ts"
import { Breath, PARSED } from "../../ports/breath.ts"
import { badPath, leftOut, MAX_FILES, tooMany, twice } from "./catalog-diagnostics.ts"
import { keyOf } from "./catalog-entry.ts"
import { drafted, fileOf, of, type CatalogGround, type State } from "./catalog-ground.ts"
import { FILE_KINDS, isBeside, isOfFlow } from "../../core/flow/catalog-kinds.ts"
import { localEntry, placeOf } from "./catalog-place.ts"
import { stateWith, type FileDraft } from "./staging/staging-draft.ts"

/** Each is checked with what is left of those before it: an agent names skills, and a flow names agents. */
const STAGES: readonly (readonly CatalogKind[])[] = [["skill"], ["agent"], FILE_KINDS.filter(isOfFlow), ["dataset"]]

interface Incoming extends FileDraft {
  /** Its place among the files that came. */
  readonly at: number
}

type Answers = Map<number, readonly Diagnostic[]>

/** The results are in the order of `files`. Without `write` nothing changes, and the results are a preview. */
export function importInto(
  ground: CatalogGround,
  files: readonly Arrival[],
  write: boolean,
  by?: Writer,
): Promise<readonly ImportedFile[]> {
  return ground.parts.inTurn(async () => {
    const now = await ground.current()
    const answers: Answers = new Map()
    const all = await draftsOf(now, files, answers)
    let drafts: readonly Incoming[] = []
    for (const kinds of STAGES) {
      const stage = all.filter((draft) => kinds.includes(draft.kind))
      if (stage.length > 0) drafts = [...drafts, ...(await passing(await stateWith(ground, now, [...drafts, ...stage]), stage, answers))]
    }
    const accepted = new Set(drafts.map((draft) => draft.at))
    if (write && drafts.length > 0)
      await ground.store(
        drafts,
        drafts.map((draft) => ({ type: "put" as const, ...fileOf(draft) })),
        { action: "write", ...of(by) },
      )
    return files.map(({ path }, at) => ({ path, accepted: accepted.has(at), diagnostics: answers.get(at) ?? [] }))
  })
}

/** One draft for each definition, as many as there is room for. */
async function draftsOf(now: State, files: readonly Arrival[], answers: Answers): Promise<Incoming[]> {
  const drafts = new Map<string, Incoming>()
  const paths = new Map(now.rows.map((row) => [keyOf(row.kind, row.id), row.path]))
  let count = now.rows.filter((row) => row.kind !== "package").length
  for (const [at, { kind, path, content }] of files.entries()) {
    const place = placeOf(kind, path)
    if (!place.ok) {
      answers.set(at, [badPath(place.error)])
      continue
    }
    const key = keyOf(place.value.kind, place.value.id)
    const other = drafts.get(key)?.path ?? paths.get(key)
    if (other !== undefined && (other !== place.value.path || drafts.has(key))) answers.set(at, [twice(path, other)])
    else if (other === undefined && count >= MAX_FILES) answers.set(at, [tooMany("the catalog", count + 1)])
    else {
      if (other === undefined) count++
      drafts.set(key, { ...(await drafted(place.value, content)), kind, at })
    }
  }
  return [...drafts.values()]
}

/** Those of a stage that have no errors. */
async function passing({ view }: State, stage: readonly Incoming[], answers: Answers): Promise<readonly Incoming[]> {
  const failed = new Set<Incoming>()
  const breath = new Breath()
  for (const draft of stage) {
    const diagnostics = (await view.check(localEntry(draft.kind, fileOf(draft)))).diagnostics
    answers.set(draft.at, diagnostics)
    if (hasErrors(diagnostics)) failed.add(draft)
    await breath.take(draft.text.length * PARSED)
  }
  // What runs a flow that is left out was checked with it.
  const flows = [...failed].flatMap(({ kind, id }) => (kind === "flow" ? [id] : []))
  const gone = flows.length === 0 ? new Set<string>() : await view.faces.parentsOf(new Set(flows))
  return stage.filter((draft) => {
    if (failed.has(draft)) return false
    if ((draft.kind !== "flow" && !isBeside(draft.kind)) || !gone.has(draft.id)) return true
    answers.set(draft.at, [leftOut(draft.path)])
    return false
  })
}
