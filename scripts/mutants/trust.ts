// Faults in forks, in the ledger of effects, in receipts and in replays [K5–K42], each with the test that must find it.

import type { Mutant } from "./mutant.ts"

const CUT = "core/run/fork/cut.test.ts"
const STAGED = "core/run/effects/staged.test.ts"
const VERIFY = "engine/receipt/verify.test.ts"

export const TRUST: readonly Mutant[] = [
  {
    name: "K8 cut between a reply and its verdicts",
    file: "core/run/fork/cut.ts",
    find: `if (!all.includes(from.seq)) return no({`,
    put: `if (from.seq < 0) return no({`,
    test: [CUT, "[K8] never lies between a reply and its verdicts"],
  },
  {
    name: "K8 cut after the event that a fork is to begin before",
    file: "core/run/fork/cut.ts",
    find: `all.findLast((cut) => cut < seq) ?? first`,
    put: `all.findLast((cut) => cut <= seq) ?? first`,
    test: [CUT, "[K8] of a step is before it opened"],
  },
  {
    name: "K10 judge an approved call by the rules of the source",
    file: "core/run/fork/admit-fork.ts",
    find: `draft.take(forbidden(draft.run, draft.run.rules))`,
    put: ``,
    test: [CUT, "[K10] judges a call that has not begun"],
  },
  {
    name: "K10 leave what was under way at the cut to nobody",
    file: "core/run/fork/admit-fork.ts",
    find: `if (lost.ok) draft.take(lost.value)`,
    put: ``,
    test: [CUT, "[K10] an effect that was under way at the cut"],
  },
  {
    name: "K11 count the usage of the source again",
    file: "core/run/fork/apply-forked.ts",
    find: `run.usage = { input: 0, output: 0, children: 0, usd: null, tool_calls: 0, steps: 0 }`,
    put: ``,
    test: [CUT, "[K11] counts its usage from the cut"],
  },
  {
    name: "K31 take over the ledger of a fork's source",
    file: "core/run/effects/ledger.ts",
    find: `if (row.undoes === undefined && (GOES_ON.has(row.state) ||`,
    put: `if (row.undoes === undefined && (row.key !== "" || GOES_ON.has(row.state) ||`,
    test: [STAGED, "[K31] its ledger begins at its cut"],
  },
  {
    name: "K31 tell of an unanswered request that it was confirmed",
    file: "core/run/effects/ledger.ts",
    find: `e.uncertain ? "uncertain" : e.isError`,
    put: `e.uncertain ? "confirmed" : e.isError`,
    test: [STAGED, "[K31] a request that left and got no answer"],
  },
  {
    name: "K32 send a lost effect again that is not idempotent",
    file: "core/run/effects/admit-effects.ts",
    find: `run.plan.tools.get(found.of.tool)?.idempotent === true`,
    put: `run.plan.tools.get(found.of.tool) !== undefined`,
    test: [STAGED, "[K32] at every point of a commit"],
  },
  {
    name: "K32 carry out what the rules forbid meanwhile",
    file: "core/run/effects/closing.ts",
    find: `if (why !== undefined) return record(outcome(`,
    put: `if (why === "") return record(outcome(`,
    test: [STAGED, "[K32] each effect is judged by the rules of now"],
  },
  {
    name: "K32 go on after a failure that should stop",
    file: "core/run/effects/fold.ts",
    find: `if (outside.commit?.stop && kept && e.state !== "confirmed" && e.state !== "discarded") outside.commit.stopped = true`,
    put: ``,
    test: [STAGED, "[K32] stop_on_failure discards what comes after"],
  },
  {
    name: "K18 compare only the types of events",
    file: "engine/run/replay/replay.ts",
    find: `text !== (event && JSON.stringify(event))`,
    put: `fact.type !== event?.type`,
    test: ["engine/run/replay.test.ts", "[K18] names the first event that today's kernel makes differently"],
  },
  {
    name: "K42 read a line in any spelling",
    file: "engine/receipt/receipt-lines.ts",
    find: `value !== null && JSON.stringify(value) === text ? value`,
    put: `value !== null ? value`,
    test: [VERIFY, "[K42] line ends of another system"],
  },
  {
    name: "K42 believe any signature",
    file: "engine/receipt/verify.ts",
    find: `return await crypto.subtle.verify(`,
    put: `return undefined !== await crypto.subtle.verify(`,
    test: [VERIFY, "[K42] a receipt that was made up whole"],
  },
  {
    name: "K42 believe the hash of a definition",
    file: "engine/receipt/verify.ts",
    find: `if (definitions.some((d) => hash(d.text) !== d.hash)) return { definitions: 1 }`,
    put: ``,
    test: [VERIFY, "[K42] each check says what does not hold"],
  },
]
