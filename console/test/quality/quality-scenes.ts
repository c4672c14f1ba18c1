// What the quality pages' judge plays: it gives the middle of three levels.

import { finish, type Turn } from "../model.ts"

export const LEVELS = { 0: "wrong or made up", 0.5: "right but incomplete", 1: "right and complete" } as const
export const REASON = "It leaves out that old invoices are sent anew."

/** The judge's model is named like its scene. */
export const QUALITY_SCENES: Readonly<Record<string, readonly Turn[]>> = {
  // A model that is named like this asks for a tool that its agent does not have.
  "worse-tools": [{ calls: [{ tool: "export_all", args: { what: "everything" } }] }, { calls: [finish("Exported.")] }],
  "judge-half": [{ calls: [{ tool: "finish", args: { ...finish("Judged.").args, reason: REASON, level: LEVELS[0.5] } }] }],
}
