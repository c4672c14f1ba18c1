// Describes the flows of one state of a catalog to parent flows [F23], and which flows run which.

import { nestingOf, type CircleKind } from "../../../core/flow/check/nesting.ts"
import type { FlowFace } from "../../../core/flow/flow-face.ts"
import { atOnce } from "../../at-once.ts"
import { sha256 } from "../../sha256.ts"
import type { CatalogEntry } from "../catalog-entry.ts"
import type { CheckedBodies, Loaded } from "./checked-bodies.ts"
import { readFace, readUses } from "./language.ts"

/** `context` is a hash of all that a check of a parent flow reads here. */
interface Faces {
  readonly faces: ReadonlyMap<string, FlowFace>
  /** Flows without a face, because they have faults. */
  readonly broken: ReadonlySet<string>
  readonly context: string
}

export class CatalogFaces {
  readonly #bodies: CheckedBodies
  readonly #entries: readonly CatalogEntry[]
  #all: Promise<Faces> | undefined

  constructor(bodies: CheckedBodies, entries: readonly CatalogEntry[]) {
    this.#bodies = bodies
    this.#entries = entries
  }

  of(entry: CatalogEntry): Promise<Loaded<FlowFace>> {
    return this.#bodies.load(entry, "face", (text) => readFace(text, entry.id))
  }

  /** A flow with faults has no face, and still names the flows that it runs [F2]. */
  async runsOthers(entry: CatalogEntry): Promise<boolean> {
    const face = (await this.of(entry)).value
    if (face) return face.uses.length > 0
    return (await this.#bodies.load(entry, "uses", (text) => readUses(text, entry.id))).value === true
  }

  /** Read only if a flow runs others. */
  all(): Promise<Faces> {
    this.#all ??= (async () => {
      const entries = this.#entries.filter((e) => e.kind === "flow")
      const faces = await atOnce(entries, async (e) => [e.id, (await this.of(e)).value] as const)
      const there = new Map(faces.flatMap(([id, face]) => (face ? [[id, face]] : [])))
      const broken = new Set(entries.flatMap(({ id }) => (there.has(id) ? [] : [id])))
      return { faces: there, broken, context: await sha256(JSON.stringify(entries.map((e) => [e.id, e.hash, there.has(e.id)]))) }
    })().catch((e: unknown) => {
      this.#all = undefined
      throw e
    })
    return this.#all
  }

  /** The circles of flows that this flow is in: flows of one circle have the same number [F23e]. */
  async circlesOf(flow: string): Promise<Readonly<Record<CircleKind, number | undefined>>> {
    const { faces } = await this.all()
    const face = faces.get(flow)
    const nesting = face && nestingOf(faces, flow, face)
    return { certain: nesting?.part(flow, "certain"), likely: nesting?.part(flow, "likely") }
  }

  /** These flows and all that run one of them, directly or through others. */
  async parentsOf(flows: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    const { faces } = await this.all()
    const parents = new Map<string, string[]>()
    for (const [id, { uses }] of faces)
      for (const { flow } of uses) {
        const known = parents.get(flow)
        if (known) known.push(id)
        else parents.set(flow, [id])
      }
    const found = new Set(flows)
    for (const id of found) for (const parent of parents.get(id) ?? []) found.add(parent)
    return found
  }
}
