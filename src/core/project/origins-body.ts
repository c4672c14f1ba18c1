// Defines the origins whose pages may read answers [H7]: the body of `PUT /v1/settings/cors`, and the file `cors.yaml`.

import { z } from "zod"
import { MAX_URL } from "../schema/bounded.ts"
import { later } from "../schema/later.ts"

export const CorsBody = later(() =>
  z.strictObject({
    origins: z
      .array(z.string().max(MAX_URL))
      .max(100, "must have at most 100 origins")
      .describe("Origins as a browser sends them: scheme, host and port. `[]` closes access."),
  }),
)
