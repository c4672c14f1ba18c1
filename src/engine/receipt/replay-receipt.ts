// Replays a receipt's events with the definitions and tools that are in it [K18, K42].

import type { Pins } from "../../core/run/event-parts.ts"
import type { RunEvent } from "../../core/run/event.ts"
import type { Era } from "../../core/run/fork/fold.ts"
import { compile, type Plan } from "../../core/run/plan.ts"
import { strandedPlan } from "../../core/run/stranded.ts"
import type { Blobs } from "../../ports/blobs.ts"
import type { Breath } from "../../ports/breath.ts"
import { encode } from "../catalog/catalog-bodies.ts"
import { loadDefinitions } from "../catalog/definitions.ts"
import { replaying } from "../run/replay/replay.ts"
import type { Header } from "./receipt.ts"
import { eventAt, type Lines } from "./receipt-lines.ts"

interface Replaying {
  readonly hash: (text: string) => string
  readonly breath: Breath
}

/** Replays a receipt. Returns the first line that differs, or undefined. */
export async function replayReceipt(
  bytes: Uint8Array,
  { header, events, told }: Lines,
  { hash, breath }: Replaying,
): Promise<number | undefined> {
  try {
    const [first, ...more] = told.eras
    const { tools, before = [] } = header.value
    const eraOf = async ({ from, pins }: (typeof told.eras)[number], i: number): Promise<Era> => ({
      from,
      plan: await planOf(header.value, pins, before[i]?.tools ?? tools),
    })
    // A run that could not start has no definitions, and needs none.
    const eras: readonly [Era, ...Era[]] =
      first && events.length > 2
        ? [await eraOf(first, 0), ...(await Promise.all(more.map((era, i) => eraOf(era, i + 1))))]
        : [{ from: 1, plan: strandedPlan(header.value.flow, []) }]
    const source = (after: number, limit: number): RunEvent[] => events.slice(after, after + limit).map((line) => eventAt(bytes, line))
    const { first: other } = await breath.through(replaying(eras, source, events.length, hash))
    return other && other.seq + 1
  } catch {
    // Made by a build whose definitions this one cannot read.
    return 1
  }
}

/** The definitions' texts have the hashes by which they are found. */
async function planOf(header: Header, pins: Pins, tools: Header["tools"]): Promise<Plan> {
  const texts = new Map(header.definitions.map((d) => [d.hash, encode(d.text)]))
  const blobs: Blobs = {
    put: () => Promise.reject(new Error("a receipt is only read")),
    get: async (hash) => texts.get(hash),
  }
  const { flow, agents, skills } = await loadDefinitions(pins, blobs)
  return compile({
    flow,
    agents,
    skills: Object.fromEntries(Object.entries(skills).map(([name, { skill }]) => [name, skill])),
    tools,
  })
}
