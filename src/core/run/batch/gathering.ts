// Decides which gathered calls are sent together, and when [R33], and when a sent batch is looked at [R36]. Pure: rows and time alone.

const MAX_CALLS = 5_000 // limit: calls of a batch → the next batch
const MAX_BYTES = 32 * 1024 * 1024 // limit: bytes of a batch → the next batch
/** Batches of one map that its provider has not answered. */
const MAX_OPEN = 10 // limit: batches of a map under way → the next one is sent when one of them has ended
const GATHER_MS = 600_000 // limit: milliseconds from the first call of a batch to its sending → it is sent as it is
const FIRST_LOOK_MS = 30_000
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

export function gathered(calls: readonly GatheredCall[], { now, mayGoOn, open }: Gathering): Gathered {
  const groups = new Map<string, GatheredCall[]>()
  for (const call of calls) {
    const name = JSON.stringify([call.step, call.pass, call.provider, call.model])
    const group = groups.get(name)
    if (group) group.push(call)
    else groups.set(name, [call])
  }
  let at: number | undefined
  for (const group of groups.values()) {
    const [first] = group
    if (!first || open(first.step, first.pass) >= MAX_OPEN) continue
    const due = Math.max(isFull(group) || !mayGoOn(first.step) ? now : first.at + GATHER_MS, ...group.map(({ notBefore = 0 }) => notBefore))
    if (due <= now) return { send: fitting(group) }
    at = Math.min(at ?? due, due)
  }
  return at === undefined ? {} : { at }
}

const isFull = (group: readonly GatheredCall[]): boolean => group.length >= MAX_CALLS || fitting(group).length < group.length

/** At least one: a request that alone is too large is the provider's to refuse. */
function fitting(group: readonly GatheredCall[]): readonly GatheredCall[] {
  let bytes = 0
  const end = group.findIndex((call, n) => n >= MAX_CALLS || (n > 0 && bytes + call.bytes > MAX_BYTES) || ((bytes += call.bytes), false))
  return end < 0 ? group : group.slice(0, end)
}

/** How long after the last look a batch is looked at: after 30 s, then at doubling intervals. `looks`: how often it was. */
export const lookAfter = (looks: number): number => Math.min(FIRST_LOOK_MS * 2 ** Math.min(looks, 20), MOST_LOOK_MS)
