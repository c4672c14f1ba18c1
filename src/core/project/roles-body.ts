// Defines which models serve each role [F52]: the body of `PUT /v1/settings/roles`, and the file `roles.yaml`.

import { z } from "zod"
import { MAX_MODELS } from "../flow/model-ref.ts"

/** A model as `provider/model[:thinking]` or `model` [F52]; a role that named another role could form a circle. */
const Model = z
  .string()
  .regex(/^[^\s@,][^\s,]{0,199}$/, "must be a model as `provider/model` or `model`, at most 200 characters, no spaces and no @role")
/** One model, or several, of which the next answers when one fails [F33]. */
const Models = z.union([Model, z.array(Model).min(1).max(MAX_MODELS)]).exactOptional()

export const RolesBody = z.strictObject({
  planning: Models,
  coding: Models,
  fast: Models,
  research: Models,
  compact: Models,
  vision: Models,
  architect: Models,
  judge: Models,
  default: Models,
})
