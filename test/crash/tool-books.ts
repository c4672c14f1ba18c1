// Compares the books of the tools' server with journals and ledgers: every request was begun in a journal before it came [J2], every effect is in
// the ledger under its key [K31], and what must be done once was done once [J11].

import { z } from "zod"
import { countedBy, lateOf, same, type Told } from "./books.ts"
import type { Client } from "./client.ts"
import type { Check } from "./evidence.ts"
import type { Arrival, Peer } from "./peer.ts"

const Rows = z.object({
  data: z.array(z.looseObject({ key: z.string(), tool: z.string(), state: z.string(), idempotency_key: z.string().optional() })),
})
type Row = z.infer<typeof Rows>["data"][number]

export async function checkTools(client: Client, told: readonly Told[], peer: Peer): Promise<Check[]> {
  const checks: Check[] = []
  const left = new Set<Arrival>(peer.reported)
  const reads = new Set<Arrival>(peer.looked)
  for (const run of told) {
    const check = (law: string, fault: string | undefined): void =>
      void checks.push({ name: law, fault: fault && `${run.name} (${run.id}): ${fault}` })
    const ledger = Rows.parse(await (await client.ask("GET", `/v1/runs/${run.id}/effects`)).json()).data
    for (const row of ledger) {
      const came = peer.reported.filter((it) => it.key !== "" && it.key === row.idempotency_key)
      for (const it of came) left.delete(it)
      const begun = run.events.flatMap((e) => (e.type === "action.begun" && e.key === row.key ? [e.at] : []))
      check("[J2] no request leaves before its action.begun is in the journal", lateOf(came, begun))
      check("[J11] [K31] the ledger says how often an effect arrived", wrong(row, came.length))
    }
    const looks = peer.looked.filter((it) => it.name === run.name)
    for (const it of looks) reads.delete(it)
    const begun = run.events.flatMap((e) => (e.type === "action.begun" && e.kind === "tool" ? [e.at] : []))
    if (looks.length > 0) check("[J2] no request leaves before its action.begun is in the journal", lateOf(looks, begun))
    check(
      "[B3] the usage counts each tool call once",
      same("calls in the journal", countedBy(run.events), "in the usage", run.usage.tool_calls),
    )
  }
  checks.push({ name: "[K31] the tools' server gets nothing that no ledger has", fault: [...left].map((it) => `${it.name} ${it.key}`)[0] })
  checks.push({ name: "[J2] the tools' server gets no read that no journal has", fault: [...reads].map((it) => it.name)[0] })
  return checks
}

/** Its tool takes no key, so nothing is sent twice. */
function wrong({ key, state }: Row, came: number): string | undefined {
  const may = state === "confirmed" ? came === 1 : state === "uncertain" ? came <= 1 : came === 0
  return may ? undefined : `${key} is ${state} and arrived ${came} times`
}
