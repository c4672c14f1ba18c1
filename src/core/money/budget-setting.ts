// Defines a tenant's budget [B4, B6]: the limits of a day and of a run. The body of `PUT /v1/settings/budget`, and the file `budget.yaml`.

import { z } from "zod"
import { Amount, unitsOf } from "./amount.ts"

/** [B6] `default`: the limit for a unit that neither the start nor the flow limits. `most`: the maximum for any run. */
export const RunBudget = z
  .strictObject({ default: Amount.exactOptional(), most: Amount.exactOptional() })
  .superRefine(({ default: given = {}, most = {} }, { addIssue }) => {
    for (const unit of unitsOf(given))
      if ((given[unit] ?? 0) > (most[unit] ?? Infinity))
        addIssue({
          code: "custom",
          path: ["default", unit],
          message: `must be at most ${most[unit]}, which is the most that a run may have`,
        })
  })
export type RunBudget = Readonly<z.infer<typeof RunBudget>>

export const BudgetSetting = Amount.extend({ run: RunBudget.exactOptional() })
export type BudgetSetting = Readonly<z.infer<typeof BudgetSetting>>
