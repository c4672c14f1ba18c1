// Offers a pass that ended complete to the scorer of its step's `until` [V23]; without `until`, it is the step's end.

import { untilOf, type Step } from "../../flow/flow.ts"
import type { FactOf } from "../event.ts"

export const offering = (step: Step | undefined, end: FactOf<"step.finished">): FactOf<"step.finished"> | FactOf<"step.offered"> =>
  end.status === "complete" && untilOf(step) ? { ...end, type: "step.offered" } : end
