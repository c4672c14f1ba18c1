// Describes the instance's own answers.

import { z } from "zod"
import { documented } from "./shape.doc.ts"

export const FirstPage = z.object({
  name: z.string().describe("`Sluice`."),
  version: z.string().describe("The version of this build."),
  summary: z.string().describe("A short description of Sluice."),
  links: z.record(z.string(), z.string()).describe("Useful addresses: name → path."),
})
export const Health = z.object({
  status: z.string().describe("`ok`."),
  version: z.string().describe("The version of this build."),
})
export const Readiness = z.object({
  status: z.string().describe("`ok`."),
  checks: z
    .record(z.string(), z.boolean())
    .describe(
      "Store → whether it answered in time. `vault` is false if the instance has a different VAULT_KEY than before, and `disk` is false if its disk is full; otherwise both are absent.",
    ),
})

export const instanceDoc = documented({
  shapes: { FirstPage, Health, Readiness },
  examples: {
    FirstPage: {
      name: "Sluice",
      version: "0.1.0",
      summary: "Runs flows of agents over HTTPS.",
      links: { docs: "/docs", openapi: "/openapi.json" },
    },
    Health: { status: "ok", version: "0.1.0" },
    Readiness: { status: "ok", checks: { kv: true, r2: true, tenant: true } },
  },
})
