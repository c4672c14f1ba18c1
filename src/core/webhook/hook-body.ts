// Defines the settings of a hook [W1]: the body of `POST /v1/hooks`, and the file `hooks/NAME.yaml`.

import { z } from "zod"
import { Amount } from "../money/amount.ts"
import { EffectsMode } from "../run/event-parts.ts"
import { MAX_GIVEN, name, within } from "../schema/bounded.ts"
import { TriggerStart } from "../start/start-schema.ts"
import { HOOK_KINDS } from "./hook.ts"
import { later } from "../schema/later.ts"

/** Characters of a filter or a template; the parser of each says which place is wrong. */
const MAX_TEMPLATE = 20_000 // limit: characters of a hook's filter and of `dedupe` → 422 at the member

export const HookBody = later(() =>
  z.strictObject({
    flow: name,
    kind: z.enum(HOOK_KINDS),
    secret: name,
    header: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9-]{0,99}$/, "must be the name of a header")
      .exactOptional(),
    // core/webhook/mapping.ts reads it and points to its faults.
    mapping: within(z.json(), MAX_GIVEN).exactOptional(),
    filter: z.string().max(MAX_TEMPLATE).exactOptional(),
    dedupe: z.string().min(1, "must be a template").max(MAX_TEMPLATE).exactOptional(),
    autonomous: z.boolean().exactOptional(),
    effects: EffectsMode.exactOptional(),
    budget: Amount.exactOptional(),
    start: TriggerStart.exactOptional(),
    enabled: z.boolean().exactOptional(),
  }),
)
