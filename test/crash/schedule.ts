// When to kill, and what. A moment is counted on the first case of a round, from the start of the round or from the previous kill.

import type { Target } from "./victim.ts"

/**
 * Moments to wait for: the client's own actions, the model server's progress with a call, a streamed event.
 * `client:starting` and `client:answering` are requests on their way; `client:started` and `client:acknowledged` have
 * their answer; `client:up` is the first answer of /healthz after a kill.
 */
export type What =
  | `client:${"starting" | "started" | "answering" | "acknowledged" | "up"}`
  | `model:${"asked" | "half" | "answered"}`
  | `event:${string}`

export interface Kill {
  readonly what: What
  readonly nth: number
  /** ms after it. */
  readonly after: number
  readonly target: Target
}

export interface Round {
  /** May the client look at the runs while they recover? If not, only their alarm revives them [J12]. */
  readonly isWatched: boolean
  /** Are the starts sent with `Prefer: wait`, so that the first kill finds them unanswered [H9]? */
  readonly isAnsweredLate?: boolean
  readonly kills: readonly Kill[]
}

const both = (what: What, nth = 1, after = 0): Kill => ({ what, nth, after, target: "both" })
const launcher = (what: What, nth = 1, after = 0): Kill => ({ what, nth, after, target: "launcher" })
const workerd = (what: What, nth = 1, after = 0): Kill => ({ what, nth, after, target: "workerd" })

/** In the order of the example's course: each round runs from its start, or near it, to the moment of its last kill. */
const WATCHED_KILLS: readonly (readonly Kill[])[] = [
  [
    both("client:started"),
    both("model:asked"),
    both("model:half", 2),
    both("event:interaction.asked"),
    both("client:answering", 1, 2),
    both("model:answered", 2),
  ],
  [
    both("client:starting", 1, 3),
    both("model:answered", 2, 1),
    both("event:tool.returned", 3),
    both("client:acknowledged"),
    both("model:half"),
    both("event:run.ended"),
  ],
  [
    both("client:starting", 1, 25),
    both("event:tool.called", 6, 4),
    both("model:asked", 5),
    launcher("model:half", 7),
    launcher("client:answering", 1, 8),
    workerd("event:run.ended"),
  ],
  [workerd("event:tool.called", 6), both("model:answered", 1, 15), both("event:step.finished", 3), both("model:answered", 9, 3)],
  [
    both("event:tool.called", 4, 2),
    both("event:model.failed", 1, 200),
    workerd("model:asked", 12),
    both("client:up"),
    both("model:asked", 1, 2),
  ],
]
export const WATCHED: readonly Round[] = [
  ...WATCHED_KILLS.map((kills) => ({ isWatched: true, kills })),
  {
    isWatched: true,
    isAnsweredLate: true,
    kills: [
      both("model:asked", 3),
      both("model:half", 2, 3),
      both("event:loop.iteration"),
      launcher("event:branch.taken"),
      both("model:answered", 4, 6),
    ],
  },
]

export const UNWATCHED: readonly Round[] = [
  [both("client:started")],
  [both("model:answered", 1, 40)],
  [launcher("model:half", 6)],
  [both("model:answered", 10, 2)],
  [workerd("model:asked", 20)],
  [both("client:acknowledged"), both("model:answered", 1, 4)],
  [both("model:asked", 6), both("model:half", 3)],
].map((kills) => ({ isWatched: false, kills }))

export const describeKill = ({ what, nth, after }: Kill): string =>
  `${nth === 1 ? "" : `${nth}. `}${what}${after === 0 ? "" : ` + ${after} ms`}`
