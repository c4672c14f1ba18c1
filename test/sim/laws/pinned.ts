// [F71] Looks at the pins of each run once more, at rest: a start that was on its way while its tenant was deleted has erased itself.

import { PinLaw } from "./pins.ts"
import type { Rest } from "./rest.ts"

export function pinnedOf({ own, service, tenant }: Rest): string[] {
  const wrong: string[] = []
  for (const { run, events } of own) {
    const law = new PinLaw({ service, tenant, run })
    for (const event of events) law.take(event, (fault) => wrong.push(`${run} event ${event.seq} ${event.type}: ${fault}`))
  }
  return wrong
}
