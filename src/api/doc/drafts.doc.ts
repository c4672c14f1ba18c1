// Describes the API's answers about drafts of the catalog.

import { z } from "zod"
import { CatalogPlan } from "./catalog.doc.ts"
import { documented, Time } from "./shape.doc.ts"

export const Draft = z.object({
  draft: z.string().describe("The draft's name: a start names it as `flow@draft:NAME`."),
  mode: z.enum(["merge", "replace"]).describe("Whether the draft's folders replace those of the catalog, or its files are added to them."),
  files: z.number().describe("The number of files."),
  by: z.string().nullable().describe("The last author; null if unknown."),
  warnings: z.number().exactOptional().describe("The number of warnings at the last write; absent if there are none."),
  created: Time.describe("When the draft was first written."),
  at: Time.describe("When the draft was last written."),
  expires_at: Time.describe("When the draft expires unless it is written again."),
})
export type Draft = z.output<typeof Draft>

const { revision, diagnostics, added, changed, removed, breaks } = CatalogPlan.shape
export const DraftWritten = z.object({ ...Draft.shape, revision, diagnostics, added, changed, removed, breaks })
export type DraftWritten = z.output<typeof DraftWritten>

const DRAFT = {
  draft: "dev-3f9k2m",
  mode: "replace",
  files: 12,
  by: "laptop",
  created: "2026-11-23T09:00:00.000Z",
  at: "2026-11-23T09:12:00.000Z",
  expires_at: "2026-11-23T21:12:00.000Z",
} as const satisfies z.input<typeof Draft>

export const draftsDoc = documented({
  parameters: { draft: { description: "The draft's name.", example: "dev" } },
  shapes: { Draft, DraftWritten },
  examples: {
    Draft: DRAFT,
    DraftWritten: { ...DRAFT, revision: 7, diagnostics: {}, added: [], changed: ["agents/writer.md"], removed: [], breaks: [] },
  },
})
