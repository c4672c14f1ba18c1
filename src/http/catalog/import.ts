// Serves imports. The first import loads the code that reads archives and other systems' layouts.

import { catalog } from "../../api/catalog.ts"
import { routes } from "../middleware/call.ts"
import { lazy } from "../../core/lazy.ts"

const importCatalog = lazy(() => import("./import-catalog.ts"))

export const IMPORT_ROUTES = routes(catalog, { importFiles: async (c) => (await importCatalog()).importCatalog(c) })
