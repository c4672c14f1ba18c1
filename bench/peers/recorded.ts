// Defines the figures of one measurement, stored in bench/peers/figures.json and shown in bench/report.html.

import { z } from "zod"
import { WORKS } from "./contender.ts"

const Sample = z.object({
  contender: z.string(),
  place: z.enum(["disk", "tmpfs"]),
  work: z.enum(WORKS),
  round: z.number(),
  /** From the request to the answer, ms: the median over the runs of the round. */
  ms: z.number(),
  /** CPU time of the whole process tree, ms per run. */
  cpu: z.number(),
  /** Bytes per run passed to write calls: files and sockets. */
  written: z.number(),
  /** w1 and w5: runs per second, and the 95th percentile of their times. */
  rate: z.number().optional(),
  p95: z.number().optional(),
  /** w2 only: the time of the last 50 steps to that of the steps 10 to 60. */
  lateEarly: z.number().optional(),
})
export type Sample = z.infer<typeof Sample>

const Count = z.object({ contender: z.string(), work: z.enum(WORKS), per_run: z.record(z.string(), z.number()) })
export type Count = z.infer<typeof Count>

export const Recorded = z.object({
  date: z.string(),
  machine: z.string(),
  node: z.string(),
  commit: z.string(),
  load: z.object({ runs: z.number(), concurrency: z.number(), rounds: z.number(), singles: z.number(), keyed: z.number().default(0) }),
  /** In the order in which they are shown. */
  contenders: z.array(z.object({ name: z.string(), note: z.string() })),
  left_out: z.array(z.string()),
  samples: z.array(Sample),
  counts: z.array(Count),
})
export type Recorded = z.infer<typeof Recorded>
