// Says what a journal has of a start that obeyed a block [R19]: its times and its keys.

import { defined } from "../defined.ts"
import type { StartTimes } from "./event-parts.ts"
import type { KeyLimit, StartBlock } from "../start/start-block.ts"

const keyOf = ({ pool, key, limit }: KeyLimit): KeyLimit => ({ pool, key, limit })

export const obeyedTimes = (
  { priority, concurrency, throttle }: StartBlock,
  at: Pick<StartTimes, "arrived" | "ready" | "began" | "held" | "merged">,
): StartTimes => ({
  ...at,
  ...(priority === "normal" ? {} : { priority }),
  ...defined({
    concurrency: concurrency && keyOf(concurrency),
    throttle: throttle && { ...keyOf(throttle), period: throttle.period },
  }),
})
