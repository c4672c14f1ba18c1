// Says what a fork that stands in line is until it begins [R44]: the start that it would be, for its row in the list and for its end if it never begins.

import { defined } from "../../../core/defined.ts"
import type { StartTimes } from "../../../core/run/event-parts.ts"
import type { Pins } from "../../../core/run/event-parts.ts"
import type { ForkSignal } from "../../../core/run/signal.ts"
import type { Run } from "../../../core/run/state.ts"
import type { StartBlock } from "../../../core/start/start-block.ts"
import { startOf } from "../../../engine/run/begin/start.ts"
import type { ForkOrigin, ForkRequest, ForkResult } from "../../../ports/fork.ts"
import type { Arrived } from "../../../ports/tenant/line.ts"
import type { StartRequest } from "../../../ports/run.ts"

interface Holding {
  readonly asked: ForkRequest
  readonly before: Run
  readonly signal: ForkSignal
  readonly ground: Extract<ForkOrigin, { ok: true }>
  readonly pins: Pins
  readonly block: StartBlock
}

export function heldRequest({ asked, before, signal, ground, pins, block }: Holding): StartRequest {
  const { forked } = signal
  const { flow, autonomous, rehearsed, thread, session, conversation, tenancy, given, origins, trusted } = before
  return startOf(
    {
      flow: { id: flow, autonomous },
      pins,
      rehearsed: forked.rehearsed ?? rehearsed,
      rules: ground.rules,
      queue: true,
      ...defined({ tenancy }),
    },
    {
      tenant: asked.tenant,
      run: asked.run,
      task: forked.task ?? before.task,
      inputs: forked.inputs ?? before.inputs,
      trigger: { kind: "fork", key: asked.by },
      effects: forked.effects,
      block,
      ...defined({
        keyId: asked.keyId,
        thread,
        session,
        conversation: conversation && [...conversation],
        tags: forked.tags,
        autonomous: forked.autonomous,
        budget: forked.budget,
      }),
      ...defined({ prices: forked.prices, payload: forked.payload ?? before.payload, files: given && [...given] }),
      ...defined({ origins: origins && [...origins], trusted: trusted && [...trusted] }),
      tainted: before.tainted,
      private: before.private === true ? true : undefined,
      unaccepted: forked.unaccepted,
    },
  )
}

/** [R19] The fork with its times, if it obeyed a block. */
export const startedBy = (signal: ForkSignal, start: StartTimes | undefined): ForkSignal =>
  start === undefined ? signal : { ...signal, forked: { ...signal.forked, start } }

/** As the answer to a fork. */
export function refusedAt(arrived: Extract<Arrived, { ok: false }>): Extract<ForkResult, { ok: false }> {
  switch (arrived.code) {
    case "key_busy":
      return arrived
    case "thread_busy":
      throw new Error("a fork stands in no thread's line")
    case "quota":
    case "storage_full":
      return { ok: false, code: "refused", why: arrived }
  }
}
