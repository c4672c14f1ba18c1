// Asks anew what is shown of a topic, now and then: the first news at once, and while news keeps coming ever more rarely. A page out of sight asks
// nothing; it does once it is seen again.

import { serverState, type Topic } from "./server-state.ts"

/** News that comes together is one. */
const TOGETHER_MS = 150
/** Between two times, at first and at most. */
const GAP_MS = 1_000
const MAX_GAP_MS = 6_000

interface Pace {
  last: number
  gap: number
  timer: ReturnType<typeof setTimeout> | undefined
}

const paces = new Map<Topic, Pace>()

const isHidden = (): boolean => document.visibilityState === "hidden"

export function askAnew(topic: Topic): void {
  const pace = paces.get(topic) ?? { last: -Infinity, gap: GAP_MS, timer: undefined }
  paces.set(topic, pace)
  if (pace.timer !== undefined) return
  const since = performance.now() - pace.last
  pace.gap = since > 2 * MAX_GAP_MS ? GAP_MS : Math.min(MAX_GAP_MS, pace.gap * 3)
  pace.timer = setTimeout(
    () => {
      pace.timer = undefined
      pace.last = performance.now()
      void serverState.invalidateQueries({ queryKey: [topic], refetchType: isHidden() ? "none" : "active" })
    },
    Math.max(TOGETHER_MS, pace.gap - since),
  )
}

export function askAllAnew(): void {
  void serverState.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "once", refetchType: isHidden() ? "none" : "active" })
}
