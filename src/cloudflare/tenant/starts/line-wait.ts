// Says what a start waits for, as of the moment of reading [R18].

import type { StartWait } from "../../../core/start/start-wait.ts"
import { defined } from "../../../core/defined.ts"
import { windowEnd, windowOf } from "../../../core/start/window.ts"
import { heldBy } from "../../../core/start/line-things.ts"
import { blockOf, expiryOf, STATE, type LineRow, type LineStore } from "./line-store.ts"

const MAX_AHEAD = 100 // limit: starts ahead of another that are counted → it says 100

export function askedWait(store: LineStore, row: LineRow): StartWait {
  const { concurrency, throttle } = blockOf(row)
  const { window } = row.body
  const own = windowOf(row.body.block)
  if (row.state === STATE.window && window && own) return { reason: window.member, until: windowEnd(window), pool: own.pool, key: own.key }
  if (row.state === STATE.delayed) return { reason: "delay", ...defined({ until: row.due ?? undefined }) }
  const expires = defined({ expires: row.state === STATE.inLine ? (expiryOf(row) ?? undefined) : undefined })
  const reason = heldBy(row.filed ?? "")
  const ahead = row.filed === null ? 0 : store.ahead(row, MAX_AHEAD)
  if (reason === "throttle" && throttle) {
    const { pool, key } = throttle
    return { reason, ...defined({ until: store.dueOf(row.filed ?? "") }), pool, key, ahead, ...expires }
  }
  if (reason === "concurrency" && concurrency) {
    const { pool, key } = concurrency
    return { reason, pool, key, ahead, ...defined({ run: store.holding(row.held_key ?? "", 1)[0]?.run }), ...expires }
  }
  return { reason: "room", ahead, ...expires }
}
