// minio.share, minio.ingest, minio.sync: aliases of the r2 tools; every rule treats them as the same tools [T24, T30].

import type { Tool } from "../../ports/tool.ts"
import { r2Ingest } from "./r2-ingest.ts"
import { r2Share } from "./r2-share.ts"
import { r2Sync } from "./r2-sync.ts"

export const MINIO: readonly Tool[] = [r2Share, r2Ingest, r2Sync].map((tool) => ({
  ...tool,
  name: tool.name.replace(/^r2\./, "minio."),
  same: tool.name,
}))
