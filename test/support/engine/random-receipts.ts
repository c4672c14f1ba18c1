// Receipts of random runs: live, staged and dry ones, and forks, with everything that a history can have (kernel/rich-world.ts). Their definitions
// are the flow and agents as data, which no parser reads: the build that made them is another one, so that their replay is not asked for.

import fc from "fast-check"
import type { Flow } from "../../../src/core/flow/flow.ts"
import type { Pins } from "../../../src/core/run/event-parts.ts"
import type { RunEvent } from "../../../src/core/run/event.ts"
import { CutFinder } from "../../../src/core/run/fork/cut.ts"
import { planOf } from "../kernel/builders.ts"
import { CAST } from "../kernel/generate.ts"
import { sha256 } from "../kernel/golden.ts"
import { pauses } from "../kernel/noise.ts"
import { liveRich, richFlows, RULES, type RichLife } from "../kernel/rich-world.ts"
import { diceOf } from "../kernel/world.ts"
import type { Signer } from "./signer.ts"

const MODES = ["live", "staged", "dry"] as const

export interface RandomReceipt {
  readonly text: string
  readonly events: readonly RunEvent[]
}

/** The same ones for a given seed, each of another journal. */
export async function randomReceipts(count: number, signer: Signer, seed: number): Promise<RandomReceipt[]> {
  const drawn = fc.sample(richFlows(6), { numRuns: count, seed })
  return Promise.all(drawn.map((flow, n) => receiptOf(flow, n, signer)))
}

async function receiptOf(flow: Flow, n: number, signer: Signer): Promise<RandomReceipt> {
  const texts = new Map([flow, ...CAST].map((it) => [sha256(JSON.stringify(it)), JSON.stringify(it)]))
  const pinned: Pins = {
    revision: 1,
    flow: { id: flow.id, hash: sha256(JSON.stringify(flow)) },
    agents: Object.fromEntries(CAST.map((it) => [it.name, sha256(JSON.stringify(it))])),
    skills: {},
    models: {},
  }
  const mode = MODES[n % MODES.length] ?? "live"
  const [crashes, stops, cuts] = [diceOf(`crash:${n}`), diceOf(`pause:${n}`), diceOf(`cut:${n}`)]
  const life: RichLife = {
    world: { seed: n, post: true },
    task: `the task of run ${n}`,
    rules: RULES,
    started: { pinned, ...(mode === "live" ? {} : { effects: mode }) },
    crash: () => crashes() < 0.03,
    meddle: (shell) => pauses(shell, stops()),
  }
  const plan = planOf(flow, CAST)
  const source = liveRich(plan, life)
  const finder = new CutFinder()
  for (const e of source.log) finder.take(e)
  const seqs = source.log.flatMap(({ seq }) => (finder.find({ seq }, source.cuts).ok ? [seq] : []))
  const cut = n % 4 === 3 ? seqs[Math.floor(cuts() * seqs.length)] : undefined
  const log = cut === undefined ? source.log : forkOf(source.log.slice(0, cut), life, plan)
  const events = sealed(log)
  const end = events.find((e) => e.type === "run.ended")
  const status = end?.type === "run.ended" ? end.status : "failed"
  return { text: await signer.receipt(plan, events, texts, { status, build: "0.0.9" }), events }
}

function forkOf(prefix: readonly RunEvent[], { world }: RichLife, plan: ReturnType<typeof planOf>): readonly RunEvent[] {
  const [last] = prefix.slice(-1)
  const at = last?.at ?? 0
  const forked = {
    type: "run.forked",
    run: "run_2",
    source: { run: "run_1", seq: prefix.length, head: String(prefix.length), at },
    by: "ann",
    effects: "staged",
  } as const
  return liveRich(plan, { world, fork: { prefix, signal: { type: "fork", at: at + 100_000, forked, rules: RULES } } }).log
}

/** With the hashes that a run's object gives them [J7]. */
function sealed(log: readonly RunEvent[]): RunEvent[] {
  let prev = "0".repeat(64)
  return log.map((e) => {
    const event = { ...e, prev }
    prev = sha256(JSON.stringify(event))
    return event
  })
}
