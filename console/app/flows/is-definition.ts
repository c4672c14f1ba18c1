// Which files of the catalog have a text of their own to read: a hook, a schedule or a setting is read as what it sets.

import type { CatalogFile, DefinitionKind } from "../../../src/api/doc/catalog.doc.ts"

const KINDS: ReadonlySet<string> = new Set<DefinitionKind>(["agent", "flow", "skill", "code", "rehearsal", "test"])

export const isDefinition = <F extends Pick<CatalogFile, "kind">>(file: F): file is F & { readonly kind: DefinitionKind } =>
  KINDS.has(file.kind)
