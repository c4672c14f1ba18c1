// Defines what a model's provider allows [R24]: the body of `PUT /v1/settings/pacing`, and the file `pacing.yaml`.

import { z } from "zod"
import { recordOf } from "../schema/bounded.ts"
import { later } from "../schema/later.ts"

const MOST_LINES = 1_000 // limit: lines of the pacing settings → 422 at `/models`
const MOST_A_MINUTE = 1_000_000_000 // limit: requests or tokens a minute in the pacing settings → 422 at the number

const perMinute = (what: string) => z.number().int().min(1).max(MOST_A_MINUTE).exactOptional().describe(`${what} per minute.`)

/** A model as `provider/model`, or `provider/*`: all models of the provider together. */
const LINE = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}\/[^\s,@][^\s,]{0,199}$/

const ModelPace = z.strictObject({
  rpm: perMinute("Requests"),
  tpm: perMinute("Tokens, of requests and replies together,"),
  itpm: perMinute("Input tokens"),
  otpm: perMinute("Output tokens"),
  spill: z
    .boolean()
    .exactOptional()
    .describe("`true`: a call that must wait for this model goes to the agent's next model; by default it waits."),
})

export const PacingBody = later(() =>
  z.strictObject({
    models: recordOf(ModelPace, MOST_LINES)
      .superRefine((models, context) => {
        for (const name of Object.keys(models))
          if (!LINE.test(name))
            context.addIssue({ code: "custom", path: [name], message: "must be named `provider/model`, or `provider/*`" })
      })
      .exactOptional()
      .describe("`provider/model` or `provider/*` → what its provider allows."),
    learn: z
      .boolean()
      .exactOptional()
      .describe("`false`: only what is set here bounds calls; by default limits are learned from the headers of answers too."),
  }),
)
export type PacingBody = z.output<typeof PacingBody>
