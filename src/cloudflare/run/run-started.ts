// Writes the first event of a journal [J3]: the request that started the run. The fields keep the order of `startOf`, because the event is
// hashed as text.

import { defined } from "../../core/defined.ts"
import type { StartTimes } from "../../core/run/event-parts.ts"
import { KERNEL } from "../../core/run/event-version.ts"
import type { FactOf } from "../../core/run/event.ts"
import { MAX_EFFECTS } from "../../engine/run/decision.ts"
import type { StartRequest } from "../../ports/run.ts"

/** `start`: of a start with a block [R19]. */
export function startedOf(request: StartRequest, start?: StartTimes): FactOf<"run.started"> {
  const {
    daily: _daily,
    held: _held,
    block: _block,
    pace: _pace,
    above: _above,
    number: _number,
    keyId: _keyId,
    ownMoney: _ownMoney,
    listed: _listed,
    desk: _desk,
    cannot: _cannot,
    tenant,
    run,
    flow,
    task,
    inputs,
    autonomous,
    pins,
    ...rest
  } = request
  // As plain JSON. The field keeps its position in `rest`; an undefined field is not in the journal.
  const rules = rest.rules && JSON.parse(JSON.stringify(rest.rules))
  return {
    type: "run.started",
    tenant,
    run,
    flow,
    task,
    inputs,
    autonomous,
    pinned: pins,
    ...rest,
    rules,
    width: MAX_EFFECTS,
    kernel: KERNEL,
    ...defined({ start }),
  }
}
