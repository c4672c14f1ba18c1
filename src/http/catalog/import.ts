// The route of an import. What reads archives and other systems' layouts is loaded by the first import.

import { catalog } from "../../api/catalog.ts"
import { routes } from "../middleware/call.ts"

export const IMPORT_ROUTES = routes(catalog, { importFiles: async (c) => (await import("./import-catalog.ts")).importCatalog(c) })
