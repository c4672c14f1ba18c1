// CatalogPackages: the second tier [F70]. A package is registered as a whole and checked against itself and the built-ins, so it
// works without the tenant's own files. Registering a name again replaces the package.

import { asWritten } from "./check/written.ts"
import type { Writer } from "../../ports/tenant/authoring/gate.ts"
import { bounded, hasErrors, type Diagnostic } from "../../core/diagnostic.ts"
import { isName } from "../../core/text/names.ts"
import type { BundleResult, PackageBody, PackageRow, Stale, WholeBundle } from "../../ports/tenant/catalog.ts"
import { atOnce } from "../at-once.ts"
import {
  listed,
  sparingly,
  corrupt,
  emptyPackage,
  MAX_FILES,
  MAX_PACKAGES,
  noPackageName,
  tooMany,
  tooManyPackages,
} from "./catalog-diagnostics.ts"
import type { StoredFile } from "./catalog-entry.ts"
import { circlesOnce } from "./check/catalog-circles.ts"
import type { CatalogGround, TextToStore } from "./catalog-ground.ts"
import { drafted, draftsOf, fileOf, meets, of } from "./catalog-ground.ts"
import type { Manifest, Package } from "./catalog-package.ts"
import { entriesOf, manifestText, packagePath } from "./catalog-package.ts"
import { bundleOf, placesOf, sizeOf } from "./catalog-place.ts"
import type { CatalogView } from "./catalog-view.ts"

export class CatalogPackages {
  readonly #ground: CatalogGround

  constructor(ground: CatalogGround) {
    this.#ground = ground
  }

  /** In order of registration, which is the order of precedence. */
  async list(): Promise<PackageRow[]> {
    const { packages, view } = await this.#ground.current()
    return sparingly(await atOnce(packages, (one) => rowOf(one, view)))
  }

  /** With its texts as registered. A file whose body is lost is left out, and the diagnostics report it [F74]. */
  async read(name: string): Promise<(PackageRow & { bundle: WholeBundle }) | undefined> {
    const { packages, view } = await this.#ground.current()
    const one = packages.find((p) => p.row.id === name)
    if (!one) return undefined
    const texts = await atOnce(Object.entries(one.manifest?.files ?? {}), async ([path, body]) => [path, await view.text(body)] as const)
    const there = texts.flatMap(([path, text]): [string, string][] => (text === undefined ? [] : [[path, text]]))
    return { ...(await rowOf(one, view)), bundle: bundleOf(there) }
  }

  put(name: string, body: PackageBody, ifMatch?: string, by?: Writer): Promise<PackageResult | Stale> {
    return this.#ground.parts.inTurn(async () => {
      const judged = await this.#judged(name, body, ifMatch)
      if (!("drafts" in judged)) return judged
      const { drafts, list, diagnostics } = judged
      const change = { type: "put", ...fileOf(list) } as const
      const revision = await this.#ground.store([...drafts, list], [change], { action: "register", ...of(by) })
      return { ok: true, revision, diagnostics, hash: list.hash }
    })
  }

  /** What `put` would answer, at the revision of now; nothing is written. */
  preview(name: string, body: PackageBody, ifMatch?: string): Promise<PackageResult | Stale> {
    return this.#ground.parts.inTurn(async () => {
      const judged = await this.#judged(name, body, ifMatch)
      if (!("drafts" in judged)) return judged
      const { revision, list, diagnostics } = judged
      return { ok: true, revision, diagnostics, hash: list.hash }
    })
  }

  async #judged(name: string, body: PackageBody, ifMatch?: string): Promise<Judged | PackageResult | Stale> {
    const now = await this.#ground.current()
    const present = now.packages.find((p) => p.row.id === name)
    if (ifMatch !== undefined && !meets(ifMatch, present?.row.hash)) return { stale: present?.row.hash ?? null }
    if (!isName(name)) return { ok: false, diagnostics: { "": [noPackageName(name)] } }
    const count = sizeOf(body)
    if (count > MAX_FILES) return { ok: false, diagnostics: { "": [tooMany("the package", count)] } }
    if (!present && now.packages.length >= MAX_PACKAGES) return { ok: false, diagnostics: { "": [tooManyPackages] } }
    const { drafts, faults } = await draftsOf(placesOf(body))
    if (drafts.length === 0 && faults.size === 0) return { ok: false, diagnostics: { "": [emptyPackage] } }
    const manifest: Manifest = {
      name,
      version: body.version,
      order: present?.manifest?.order ?? Math.max(0, ...now.packages.map((p) => p.manifest?.order ?? 0)) + 1,
      files: Object.fromEntries(drafts.map(({ path, hash, body: { byteLength } }) => [path, { hash, size: byteLength }])),
    }
    const list = await drafted({ kind: "package", id: name, path: packagePath(name) }, manifestText(manifest))
    const rows: StoredFile[] = [...now.rows.filter((r) => r.kind !== "package" || r.id !== name), fileOf(list)]
    const entries = entriesOf(manifest)
    const apart = await this.#ground.apart(entries, drafts)
    const { view } = await this.#ground.state(now.revision, rows, [...drafts, list])
    const diagnostics = new Map<string, readonly Diagnostic[]>(faults)
    await atOnce(entries, async (entry) => {
      const path = entry.path.slice(packagePath(name).length + 1)
      const said = asWritten((await apart.check(entry)).diagnostics).filter((d) => !STANDING.has(d.code))
      diagnostics.set(path, [...(diagnostics.get(path) ?? []), ...view.standing(entry), ...said])
    })
    if ([...diagnostics.values()].some(hasErrors)) return { ok: false, diagnostics: listed(await circlesOnce(apart, diagnostics)) }
    return { drafts, list, revision: now.revision, diagnostics: listed(await circlesOnce(apart, diagnostics)) }
  }

  remove(name: string, ifMatch?: string, by?: Writer): Promise<boolean | Stale> {
    return this.#ground.parts.inTurn(async () => {
      const row = this.#ground.parts.store.files().find((f) => f.kind === "package" && f.id === name)
      if (!row) return false
      if (ifMatch !== undefined && !meets(ifMatch, row.hash)) return { stale: row.hash }
      const { kind, id, path } = row
      await this.#ground.store([], [{ type: "remove", kind, id, path }], { action: "unregister", ...of(by) })
      return true
    })
  }
}

type PackageResult = BundleResult & { readonly hash?: string }

/** Without an error, and not stored yet. */
interface Judged {
  readonly drafts: readonly TextToStore[]
  readonly list: TextToStore
  /** Of now. */
  readonly revision: number
  readonly diagnostics: Extract<BundleResult, { ok: true }>["diagnostics"]
}

/** Reported by the tenant's view, which has all layers. */
const STANDING: ReadonlySet<string> = new Set(["CAT-SHADOW", "CAT-PACKAGE-TWICE", "CAT-HIDDEN"])

async function rowOf({ row, manifest }: Package, view: CatalogView): Promise<PackageRow> {
  const entries = manifest ? entriesOf(manifest) : []
  const count = (folder: string): number => Object.keys(manifest?.files ?? {}).filter((path) => path.startsWith(`${folder}/`)).length
  return {
    name: row.id,
    version: manifest?.version ?? "",
    hash: row.hash,
    agents: count("agents"),
    flows: entries.filter((e) => e.kind === "flow").length,
    skills: entries.filter((e) => e.kind === "skill" && e.id.endsWith("/SKILL.md") && e.id.split("/").length === 2).length,
    diagnostics: manifest
      ? bounded(
          entries.flatMap((entry) => view.standing(entry)),
          "CAT-MORE",
        )
      : [corrupt(row, "is missing or damaged")],
  }
}
