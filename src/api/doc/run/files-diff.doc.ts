// Describes the API's answers about changed files.

import { z } from "zod"
import { documented } from "../shape.doc.ts"

export const ChangedFile = z.object({
  path: z.string().describe("The file's path in the workspace."),
  state: z.enum(["added", "changed", "removed"]).describe("The kind of change."),
  before: z.number().nullable().describe("The size in bytes at the first moment; null if the file did not exist."),
  after: z.number().nullable().describe("The size in bytes at the second moment; null if the file does not exist."),
  binary: z.boolean().nullable().describe("Whether the file is binary; null if it was too large to read."),
  diff: z.string().nullable().describe("The changed lines as hunks of a unified diff; null for what is not compared by lines."),
  cut: z.boolean().describe("Whether lines are left out: the file or the diff is too large."),
})

export const FilesDiff = z.object({
  from: z.number().describe("The `seq` of the first moment."),
  to: z.number().describe("The `seq` of the second moment."),
  data: z.array(ChangedFile).describe("The files of this page."),
  next_cursor: z.string().nullable().describe("Send it as `cursor` to get the next page; null on the last page."),
})
export type FilesDiff = z.output<typeof FilesDiff>

const ROW = {
  path: "notes.md",
  state: "changed",
  before: 12,
  after: 19,
  binary: false,
  diff: "@@ -1,2 +1,2 @@\n # Notes\n-open\n+two are open\n",
  cut: false,
} as const satisfies z.input<typeof ChangedFile>

export const filesDiffDoc = documented({
  shapes: { ChangedFile, FilesDiff },
  examples: { ChangedFile: ROW, FilesDiff: { from: 1, to: 214, data: [ROW], next_cursor: null } },
})
