// Describes what is said of a run [V17], as its view and its row in the list have it.

import { z } from "zod"

export const saidFields = {
  scores: z
    .record(z.string(), z.number().nullable())
    .exactOptional()
    .describe("By scorer: its newest score, from 0 to 1; null if it does not apply."),
  feedback: z
    .object({
      up: z.number().describe("How many say that it is good."),
      down: z.number().describe("How many say that it is not."),
      corrected: z.number().exactOptional().describe("In the list: how many say what the answer should have been."),
    })
    .exactOptional()
    .describe("What people say of it, grades apart."),
}
