// Finds a model in the shipped list of prices [B3]: by its name, then by its plain name, then by its family, which is the newest model with
// the same words. A family's price is an estimate, and so is its window. Which tables count depends on the kind of the provider, never on
// its name: a provider `mine` of kind anthropic has Anthropic's prices.

import type { ListEntry, ListPrices } from "./list-entry.ts"
import { LIST_PRICES } from "./list-prices.ts"
import { compareVersions, modelName } from "./model-name.ts"

type Table = keyof ListPrices

export interface Listed extends ListEntry {
  readonly estimated?: true
}

/** The first table that knows a name decides. Makers of other models also offer the APIs of Anthropic and OpenAI. */
const TABLES: Readonly<Record<string, readonly Table[]>> = {
  anthropic: ["anthropic", "others"],
  openai: ["openai", "others", "anthropic"],
  "openai-compatible": ["others", "openai", "anthropic"],
  "workers-ai": ["workers-ai"],
}
const EVERY: readonly Table[] = ["anthropic", "openai", "others", "workers-ai"]

/** The entry of a model; undefined: the kind of provider is free, or no listed model is similar. */
export const listed = (kind: string, id: string): Listed | undefined =>
  Object.hasOwn(TABLES, kind) ? lookUp(TABLES[kind] ?? [], id) : undefined

/** The same for a model whose provider is unknown. */
export const listedAnywhere = (id: string): Listed | undefined => lookUp(EVERY, id)

function lookUp(tables: readonly Table[], id: string): Listed | undefined {
  for (const table of tables) {
    const list = LIST_PRICES[table]
    if (Object.hasOwn(list, id)) return list[id]
  }
  const { plain, words } = modelName(id)
  for (const table of tables) {
    const same = indexOf(table).plain.get(plain)
    if (same) return { ...same, estimated: true }
  }
  for (let count = words.length; count > 0; count--) {
    const family = words.slice(0, count).join(" ")
    for (const table of tables) {
      const { newest } = indexOf(table)
      const found =
        newest.get(family)?.entry ?? dearest([...newest].flatMap(([name, { entry }]) => (name.startsWith(`${family} `) ? [entry] : [])))
      if (found) return { ...found, estimated: true }
    }
  }
  return undefined
}

const dearest = (entries: readonly ListEntry[]): ListEntry | undefined => entries.toSorted((a, b) => b.output - a.output)[0]

interface Index {
  readonly plain: ReadonlyMap<string, ListEntry>
  readonly newest: ReadonlyMap<string, { readonly version: readonly number[]; readonly entry: ListEntry }>
}

const indexes = new Map<Table, Index>()

/** Made once per table and isolate: about 300 names. */
function indexOf(table: Table): Index {
  const made = indexes.get(table)
  if (made) return made
  const plain = new Map<string, ListEntry>()
  const newest = new Map<string, { version: readonly number[]; entry: ListEntry }>()
  for (const [id, entry] of Object.entries(LIST_PRICES[table])) {
    const name = modelName(id)
    const same = plain.get(name.plain)
    if (!same || entry.output > same.output) plain.set(name.plain, entry)
    const family = name.words.join(" ")
    const known = newest.get(family)
    const newer = known ? compareVersions(name.version, known.version) : 1
    if (!known || newer > 0 || (newer === 0 && entry.output > known.entry.output)) newest.set(family, { version: name.version, entry })
  }
  const index = { plain, newest }
  indexes.set(table, index)
  return index
}
