// Decides which gathered calls are sent together, and when [R33], and when a sent batch is looked at [R36]. Pure: rows and time alone.

const MAX_CALLS = 5_000 // limit: calls of a batch → the next batch
const MAX_BYTES = 32 * 1024 * 1024 // limit: bytes of a batch → the next batch
/** Batches of one map that its provider has not answered. */
const MAX_OPEN = 10 // limit: batches of a map under way → the next one is sent when one of them has ended
const GATHER_MS = 600_000 // limit: milliseconds from the first call of a batch to its sending → it is sent as it is
const FIRST_LOOK = 30_000
const MOST_LOOK_MS = 600_000 // limit: milliseconds between two looks at a batch → it is looked at

/** A call that waits for its batch, in the order in which they came. */
export interface GatheredCall {
  readonly id: string
  readonly step: string
  readonly pass: number
  readonly provider: string
  readonly model: string
  /** When it was handed over (ms), and the bytes of its request. */
  readonly at: number
  readonly bytes: number
  /** The earliest time of its sending, where one was refused. */
  readonly notBefore?: number
}

export interface Gathering {
  readonly now: number
  /** Whether a child of this step can begin, or go on, without a reply. */
  readonly mayGoOn: (step: string) => boolean
  /** Batches of this pass of the step at their provider. */
  readonly open: (step: string, pass: number) => number
}

export interface Gathered {
  /** The calls of the next batch: of one step, provider and model. */
  readonly send?: readonly GatheredCall[]
  /** When one is due by time alone; absent: nothing waits for a time. */
  readonly at?: number
}

/** The sums of the calls that go together. */
export interface Group {
  readonly step: string
  readonly pass: number
  /** When its first call came, and the earliest time of its sending. */
  readonly at: number
  notBefore: number
  calls: number
  bytes: number
}

/** Adds a call to the sums, and returns the name of its group. */
export function counted(
  groups: Map<string, Group>,
  { step, pass, provider, model, at, bytes, notBefore = 0 }: Omit<GatheredCall, "id">,
): string {
  const name = JSON.stringify([step, pass, provider, model])
  const group = groups.get(name) ?? { step, pass, at, notBefore, calls: 0, bytes: 0 }
  group.calls += 1
  group.bytes += bytes
  group.notBefore = Math.max(group.notBefore, notBefore)
  groups.set(name, group)
  return name
}

/** When a batch of the group is sent; undefined: when another one has ended. */
export function dueOf(group: Group, { now, mayGoOn, open }: Gathering): number | undefined {
  if (open(group.step, group.pass) >= MAX_OPEN) return undefined
  const isFull = group.calls >= MAX_CALLS || (group.calls > 1 && group.bytes > MAX_BYTES)
  return Math.max(isFull || !mayGoOn(group.step) ? now : group.at + GATHER_MS, group.notBefore)
}

export function gathered(calls: readonly GatheredCall[], gathering: Gathering): Gathered {
  const groups = new Map<string, Group>()
  const named = calls.map((call) => [counted(groups, call), call] as const)
  let at: number | undefined
  for (const [name, group] of groups) {
    const due = dueOf(group, gathering)
    if (due === undefined) continue
    if (due <= gathering.now) return { send: fitting(named.flatMap(([own, call]) => (own === name ? [call] : []))) }
    at = Math.min(at ?? due, due)
  }
  return at === undefined ? {} : { at }
}

/** At least one: a request that alone is too large is the provider's to refuse. */
function fitting(group: readonly GatheredCall[]): readonly GatheredCall[] {
  let bytes = 0
  const end = group.findIndex((call, n) => n >= MAX_CALLS || (n > 0 && bytes + call.bytes > MAX_BYTES) || ((bytes += call.bytes), false))
  return end < 0 ? group : group.slice(0, end)
}

/** How long after the last look a batch is looked at: after 30 s, then at doubling intervals. `looks`: how often it was. */
export const lookAfter = (looks: number): number => Math.min(FIRST_LOOK * 2 ** Math.min(looks, 20), MOST_LOOK_MS)
