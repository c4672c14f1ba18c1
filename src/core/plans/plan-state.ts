// Defines the states of a plan [C32]: draft → approved → executing → executed or failed, with no other transitions. Display names may
// differ from these names.

export const PLAN_STATES = ["draft", "approved", "executing", "executed", "failed"] as const
export type PlanState = (typeof PLAN_STATES)[number]

/** The displayed states. `pending_approval` is a draft that waits for a person's approval. */
export const SHOWN_STATES = [...PLAN_STATES, "pending_approval"] as const

const NEXT: Readonly<Record<PlanState, readonly PlanState[]>> = {
  draft: ["approved"],
  approved: ["executing"],
  executing: ["executed", "failed"],
  executed: [],
  failed: [],
}

export const mayBecome = (from: PlanState, to: PlanState): boolean => NEXT[from].includes(to)

/** Says to the caller why the plan cannot change to `to`. */
export function whyNot(planId: string, from: PlanState, to: PlanState): string {
  if (from === "executing")
    return `the plan "${planId}" is being executed, or its answer was lost: check the target system to see whether it was carried out`
  if (from === "executed" || from === "failed") return `the plan "${planId}" is already ${from}: store a new plan under another id`
  return `the plan "${planId}" is ${from === "draft" ? "a draft" : from} and cannot become ${to}`
}

/** Tells whether the plan can still be executed. If it is approved, it was interrupted before anything was sent. */
export const isExecutable = (state: PlanState): boolean => state === "draft" || state === "approved"
