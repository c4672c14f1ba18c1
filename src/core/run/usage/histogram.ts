// Counts durations in an exponential histogram of scale 3, the form of OpenTelemetry: each bucket is 2^(1/8) times as wide as the one
// before, so a percentile is within 5 % of the exact one, and two histograms merge by adding their buckets.

/** Buckets in which a duration doubles. */
const PER_DOUBLING = 8
/** Of what takes 1 ms or less: the clock has no shorter time. */
const SHORTEST = -1

export interface Histogram {
  /** How many durations. */
  n: number
  /** All of them together, in ms. */
  sum: number
  /** Index and count of each bucket that has any, in order: bucket I has what is above 2^(I/8) ms, up to 2^((I+1)/8). */
  buckets: number[]
}

export const noDurations = (): Histogram => ({ n: 0, sum: 0, buckets: [] })

const bucketOf = (ms: number): number => (ms <= 1 ? SHORTEST : Math.ceil(Math.log2(ms) * PER_DOUBLING) - 1)

/** Adds one duration. A clock that was set back makes it 0. */
export function observe(into: Histogram, ms: number): void {
  const took = Number.isFinite(ms) ? Math.max(0, Math.round(ms)) : 0
  mergeDurations(into, { n: 1, sum: took, buckets: [bucketOf(took), 1] })
}

export const withDuration = (known: Histogram | undefined, ms: number): Histogram => {
  const into = known ?? noDurations()
  observe(into, ms)
  return into
}

/** Adds all durations of another histogram. */
export function mergeDurations(into: Histogram, { n, sum, buckets }: Readonly<Histogram>): void {
  into.n += n
  into.sum += sum
  for (let at = 0, i = 0; i < buckets.length; i += 2) {
    const [bucket = 0, count = 0] = [buckets[i], buckets[i + 1]]
    while (at < into.buckets.length && (into.buckets[at] ?? 0) < bucket) at += 2
    if (into.buckets[at] === bucket) into.buckets[at + 1] = (into.buckets[at + 1] ?? 0) + count
    else into.buckets.splice(at, 0, bucket, count)
  }
}

/** The duration that `share` of all do not exceed, by nearest rank, in ms; null: there are none. */
export function percentile({ n, buckets }: Readonly<Histogram>, share: number): number | null {
  if (n === 0) return null
  let rank = Math.max(1, Math.ceil(share * n))
  for (let i = 0; i < buckets.length; i += 2) {
    rank -= buckets[i + 1] ?? 0
    if (rank <= 0) return middleOf(buckets[i] ?? SHORTEST)
  }
  return middleOf(buckets.at(-2) ?? SHORTEST)
}

/** Until how many ms, and how many took that long but longer than the entry before; the shortest first. */
export type Spread = readonly (readonly [upTo: number, count: number])[]

/** Of four buckets one, so that a picture has few bars: each is 1.4 times as wide as the one before. */
export function spreadOf({ buckets }: Readonly<Histogram>): Spread {
  const counts = new Map<number, number>()
  for (let i = 0; i < buckets.length; i += 2) {
    const bar = Math.floor((buckets[i] ?? SHORTEST) / PER_BAR)
    counts.set(bar, (counts.get(bar) ?? 0) + (buckets[i + 1] ?? 0))
  }
  return [...counts].map(([bar, count]) => [Math.floor(2 ** (((bar + 1) * PER_BAR) / PER_DOUBLING)), count])
}
const PER_BAR = PER_DOUBLING / 2

/** The geometric middle: its distance from both ends is the same share. */
const middleOf = (bucket: number): number => (bucket <= SHORTEST ? 1 : Math.round(2 ** ((bucket + 0.5) / PER_DOUBLING) * 1_000) / 1_000)
