// Defines sluice.yaml, which makes a folder a project. Only the command line reads it.

import { z } from "zod"

export const ProjectFile = z.strictObject({
  name: z.string().min(1).max(100).optional().describe("The project's name; drift is measured from its last apply."),
  tools: z
    .array(z.string().min(1).max(128))
    .max(1_000)
    .optional()
    .describe("Names of tools that are neither built in nor in the folder: registered on the server, or added by src/index.ts."),
  port: z.int().min(0).max(65_535).optional().describe("The port of `sluice dev`; 0 for any free one."),
})
export type ProjectFile = z.output<typeof ProjectFile>
