// Declares what a judge can be trusted with: its probe [V10], and how well it agrees with people [V22].

import { z } from "zod"
import { name } from "../../core/schema/bounded.ts"
import { later } from "../../core/schema/later.ts"
import { ScoringBudget } from "../../core/score/scoring-setting.ts"
import type { Routes } from "../route/route.ts"
import { FromBody } from "./datasets.ts"

export const MAX_PROBED = 100 // limit: runs of a probe → 422 at `/most`

export const ProbeBody = later(() =>
  z.strictObject({
    dataset: z.union([name, FromBody]),
    most: z.int().min(1).max(MAX_PROBED).exactOptional(),
    budget: ScoringBudget.exactOptional(),
  }),
)
/** The type of the request body for clients. */
export type ProbeWish = z.input<typeof ProbeBody>

export const judges = {
  probeScorer: {
    method: "POST",
    path: "/v1/scorers/:scorer/probe",
    scope: "runs:write",
    tag: "Quality",
    summary: "Probe a judge",
    description:
      "It judges succeeded runs as they are, then without what they brought about, then so with a sentence that asks for the best level. No run gets these scores; GET …/trust shows their means, and what they say against the judge.",
    body: ProbeBody,
    answers: { 202: { description: "It has begun.", body: "Probe" } },
    problems: ["quota"],
  },
  getTrust: {
    method: "GET",
    path: "/v1/scorers/:scorer/trust",
    scope: "runs:read",
    tag: "Quality",
    summary: "Read how far a judge can be trusted",
    description: "By version: how well its scores agree with people's grades of the same runs.",
    answers: { 200: { description: "Agreement, the newest probe, and flags.", body: "ScorerTrust" } },
  },
} as const satisfies Routes
