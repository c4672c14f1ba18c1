// The life of a plan [C32]: draft → approved → executing → executed or failed, and no other way. The names that people see may be
// other ones; nothing is decided by those.

export const PLAN_STATES = ["draft", "approved", "executing", "executed", "failed"] as const
export type PlanState = (typeof PLAN_STATES)[number]

/** What a plan may be called to people: `pending_approval` is a draft that somebody is asked about. */
export const SHOWN_STATES = [...PLAN_STATES, "pending_approval"] as const

const NEXT: Readonly<Record<PlanState, readonly PlanState[]>> = {
  draft: ["approved"],
  approved: ["executing"],
  executing: ["executed", "failed"],
  executed: [],
  failed: [],
}

export const mayBecome = (from: PlanState, to: PlanState): boolean => NEXT[from].includes(to)

/** Why not, for whoever asked. */
export function whyNot(planId: string, from: PlanState, to: PlanState): string {
  if (from === "executing")
    return `the plan "${planId}" is being executed, or was when its answer was lost: whether it was carried out has to be looked up where it acts`
  if (from === "executed" || from === "failed")
    return `the plan "${planId}" is ${from}: nothing follows that. Store a new one under another id`
  return `the plan "${planId}" is ${from === "draft" ? "a draft" : from} and cannot become ${to}`
}

/** Is there anything left to execute? Approved already, it was interrupted before anything was sent. */
export const isExecutable = (state: PlanState): boolean => state === "draft" || state === "approved"
