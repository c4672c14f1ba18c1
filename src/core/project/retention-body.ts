// Defines how long ended runs are kept [H6]: the body of `PUT /v1/settings/retention`, and the file `retention.yaml`.

import { z } from "zod"
import { err, ok, type Result } from "../result.ts"
import type { BodyFault } from "../schema/body-faults.ts"
import { later } from "../schema/later.ts"
import { durationText, parseDuration } from "../text/duration.ts"

export const RetentionBody = later(() =>
  z.strictObject({
    runs: z
      .union([z.string().max(100), z.number().min(0).max(Number.MAX_SAFE_INTEGER)])
      .describe("How long ended runs are kept: milliseconds, or a duration such as `30d`."),
  }),
)

const LEAST_MS = 1_000 // limit: milliseconds that ended runs are kept, at least → 422 at `/runs`

/** In milliseconds. */
export function readRetention({ runs }: z.output<typeof RetentionBody>): Result<number, readonly BodyFault[]> {
  const ms = parseDuration(runs)
  if (ms !== undefined && ms >= LEAST_MS) return ok(ms)
  const message = "must be a duration of at least one second: milliseconds, or a number with a unit, such as 30d"
  return err([{ pointer: "/runs", message }])
}

export const tooLong = (most: number): BodyFault => ({
  pointer: "/runs",
  message: `exceeds this instance's maximum retention of ${durationText(most)}`,
})
