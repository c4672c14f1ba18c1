// Tells which files of the catalog have a text of their own to read: a hook, a schedule or a setting is read as what it sets.

import type { CatalogFile, DefinitionKind } from "../../../src/api/doc/catalog.doc.ts"
import { isConfig } from "../../../src/core/flow/catalog-kinds.ts"

export const isDefinition = <F extends Pick<CatalogFile, "kind">>(file: F): file is F & { readonly kind: DefinitionKind } =>
  !isConfig(file.kind)
