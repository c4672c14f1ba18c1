// [B3], [H13] Whatever a provider was asked, and bills, is in some run's usage or among its lost calls; and the tenant's totals are the sums of its
// runs, each counted once, those included that are deleted.

import type { Figures } from "../../../src/core/run/usage/figures.ts"
import { usageOf } from "../../../src/core/run/usage/run-usage.ts"
import { TOKEN_USD } from "../world/models.ts"
import type { Journal } from "./journals.ts"
import type { Rest } from "./rest.ts"

const EPSILON = 1e-6
/** A fork may have a task of its own, and goes on with steps of its source's. */
const CASE = /case-[\w-]+?(?=-forked|[^\w-]|$)/
const MEMBERS = [
  "runs",
  "children",
  "failed",
  "input",
  "output",
  "usd",
  "model_calls",
  "tool_calls",
  "tool_errors",
  "questions",
  "approvals",
  "answered",
] as const
type Member = (typeof MEMBERS)[number]

const allOf = ({ own, former }: Rest): readonly Journal[] => [...own, ...former]

/** By case: a run and the runs that it calls with its own task share one. */
export async function billsOf(rest: Rest): Promise<string[]> {
  const counted = new Map<string, number>()
  for (const journal of allOf(rest)) {
    const name = CASE.exec(journal.standing.started?.task ?? "")?.[0]
    if (name === undefined) continue
    const { tally = {} } = await rest.folded(journal)
    const usd = Object.entries(tally)
      .filter(([key]) => key.startsWith("model "))
      .reduce((sum, [, figures]: [string, Figures]) => sum + (figures.usd ?? 0) + (figures.lost?.tokens ?? 0) * TOKEN_USD, 0)
    counted.set(name, (counted.get(name) ?? 0) + usd)
  }
  const billed = new Map<string, number>()
  for (const { name: said, usd } of rest.story.world.models.calls) {
    const name = CASE.exec(said)?.[0] ?? said
    if (counted.has(name)) billed.set(name, (billed.get(name) ?? 0) + usd)
  }
  // Calls that were begun, and neither answered nor counted as lost.
  const wrong: string[] = []
  for (const [name, usd] of billed) {
    if (usd > (counted.get(name) ?? 0) + EPSILON)
      wrong.push(`[B3] the provider bills $${usd.toFixed(5)} for ${name}, its runs have counted $${(counted.get(name) ?? 0).toFixed(5)}`)
  }
  return wrong
}

async function sumsOf(rest: Rest, journals: readonly Journal[]): Promise<Map<string, Record<Member, number>>> {
  const expected = new Map<string, Record<Member, number>>()
  for (const journal of journals) {
    const usage = usageOf(await rest.folded(journal))
    const line = usage?.lines.find(({ kind }) => kind === "flow")
    if (!usage || !line) continue
    const sums = expected.get(line.name) ?? (Object.fromEntries(MEMBERS.map((it) => [it, 0])) as Record<Member, number>)
    expected.set(line.name, sums)
    const { asked } = line
    const own = {
      ...line,
      ...asked,
      runs: usage.child ? 0 : 1,
      children: usage.child ? 1 : 0,
      failed: usage.failed && !usage.child ? 1 : 0,
    } as Partial<Record<Member, number | null>>
    for (const member of MEMBERS) sums[member] += own[member] ?? 0
  }
  return expected
}

export async function totalsOf(rest: Rest): Promise<string[]> {
  const expected = await sumsOf(rest, allOf(rest))
  const more = await sumsOf(rest, rest.strays)
  const { data } = await rest.story.admin.get<{ data: ({ key: string } & Record<Member, number | null>)[] }>("GET", "/v1/usage?by=flow")
  const wrong: string[] = []
  const said = new Map(data.map((row) => [row.key, row]))
  for (const name of new Set([...said.keys(), ...expected.keys()]))
    for (const member of MEMBERS) {
      const [is, was] = [said.get(name)?.[member] ?? 0, expected.get(name)?.[member] ?? 0]
      const most = was + (more.get(name)?.[member] ?? 0)
      if (is < was - EPSILON || is > most + EPSILON) wrong.push(`[H13] usage of ${name}: ${member} is ${is}, the runs have ${was}`)
    }
  return wrong
}
