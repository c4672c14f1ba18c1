// What must hold when everything has come to rest. A further law is a line here.

import { acknowledgedOf } from "./acknowledged.ts"
import { belowOf } from "./below.ts"
import { billsOf, totalsOf } from "./bills.ts"
import { booksOf } from "./books.ts"
import { erasedOf } from "./erased.ts"
import { bodiesOf, leftoversOf } from "./leftovers.ts"
import { ledgerOf } from "./ledger.ts"
import { inLineOf } from "./in-line.ts"
import { inboxOf, listedOf } from "./listed.ts"
import { noticesOf } from "./notices.ts"
import { pinnedOf } from "./pinned.ts"
import { kernelOf, readersOf } from "./readers.ts"
import type { Rest, RestLaw } from "./rest.ts"
import { sumsOf } from "./sums.ts"
import { tracedOf } from "./traced.ts"

/** The list first: whoever reads it moves promised runs there. */
const LAWS: readonly RestLaw[] = [
  listedOf,
  acknowledgedOf,
  inLineOf,
  readersOf,
  kernelOf,
  inboxOf,
  belowOf,
  noticesOf,
  booksOf,
  ledgerOf,
  billsOf,
  totalsOf,
  sumsOf,
  leftoversOf,
  bodiesOf,
  pinnedOf,
  erasedOf,
  tracedOf,
]

export async function restOf(rest: Rest): Promise<string[]> {
  const wrong: string[] = []
  for (const law of LAWS) {
    try {
      wrong.push(...(await law(rest)))
    } catch (e) {
      wrong.push(`${law.name} could not look: ${e instanceof Error ? e.message : String(e)}`)
    }
  }
  return wrong
}
