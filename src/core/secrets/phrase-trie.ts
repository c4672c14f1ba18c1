// Searches for many phrases in one pass (Aho–Corasick): time depends on the text's length only, not on the number of phrases.
//
// Nodes are numbered breadth first, so the children of a node are adjacent and a node costs 22 bytes in six flat arrays. A map per node
// would cost about ten times that, and long secrets have many forms.

const ASCII = 128

export class PhraseTrie {
  /** The length of the longest phrase; 0: there are no phrases. */
  readonly longest: number
  /** Node → its first child. The children end where the next node's children start. */
  readonly #first: Int32Array
  readonly #label: Uint16Array
  readonly #fail: Int32Array
  readonly #depth: Int32Array
  readonly #ends: Int32Array
  readonly #owner: Int32Array
  readonly #root = new Int32Array(ASCII)

  /** `phrases`: phrase → its owner. */
  constructor(phrases: ReadonlyMap<string, number>) {
    const sorted = [...phrases].filter(([phrase]) => phrase !== "").sort(([a], [b]) => (a < b ? -1 : 1))
    const most = 1 + sorted.reduce((sum, [phrase]) => sum + phrase.length, 0)
    this.longest = sorted.reduce((longest, [phrase]) => Math.max(longest, phrase.length), 0)
    const first = new Int32Array(most + 1)
    const label = new Uint16Array(most)
    const fail = new Int32Array(most)
    const depth = new Int32Array(most)
    const ends = new Int32Array(most)
    const owner = new Int32Array(most)
    // The phrases that pass through a node form a range, because they are sorted.
    const low = new Int32Array(most)
    const high = new Int32Array(most)
    this.#first = first
    this.#label = label
    this.#fail = fail
    this.#depth = depth
    this.#ends = ends
    this.#owner = owner

    high[0] = sorted.length
    let count = 1
    for (let node = 0; node < count; node++) {
      const d = depth[node] ?? 0
      const to = high[node] ?? 0
      const back = fail[node] ?? 0
      let i = low[node] ?? 0
      first[node] = count
      ends[node] = ends[back] ?? 0
      owner[node] = owner[back] ?? 0
      const whole = sorted[i]
      if (node > 0 && whole && whole[0].length === d) {
        ends[node] = d
        owner[node] = whole[1]
        i++
      }
      while (i < to) {
        const unit = sorted[i]?.[0].charCodeAt(d) ?? 0
        low[count] = i
        while (i < to && sorted[i]?.[0].charCodeAt(d) === unit) i++
        high[count] = i
        label[count] = unit
        depth[count] = d + 1
        if (node === 0 && unit < ASCII) this.#root[unit] = count
        count++
      }
      first[node + 1] = count
      if (node > 0) for (let child = first[node] ?? 0; child < count; child++) fail[child] = this.step(back, label[child] ?? 0)
    }
  }

  /** The node after one more unit. `from` is the node reached so far (0: no phrase has begun). */
  step(from: number, unit: number): number {
    for (let node = from; ; node = this.#fail[node] ?? 0) {
      const next = this.child(node, unit)
      if (next !== 0 || node === 0) return next
    }
  }

  /** The node of the phrases that go on with this unit; 0: none does. */
  child(node: number, unit: number): number {
    return node === 0 && unit < ASCII ? (this.#root[unit] ?? 0) : this.#below(node, unit)
  }

  /** Whether a phrase begins with a unit beyond ASCII. */
  get isBeyondAscii(): boolean {
    const last = (this.#first[1] ?? 0) - 1
    return last > 0 && (this.#label[last] ?? 0) >= ASCII
  }

  /** How many units at the end of the text may be the start of a phrase. */
  depth(node: number): number {
    return this.#depth[node] ?? 0
  }

  /** The length of the longest phrase that ends here; 0: none. */
  ends(node: number): number {
    return this.#ends[node] ?? 0
  }

  owner(node: number): number {
    return this.#owner[node] ?? 0
  }

  #below(node: number, unit: number): number {
    let low = this.#first[node] ?? 0
    const end = this.#first[node + 1] ?? 0
    let high = end
    while (low < high) {
      const mid = (low + high) >> 1
      if ((this.#label[mid] ?? 0) < unit) low = mid + 1
      else high = mid
    }
    return low < end && this.#label[low] === unit ? low : 0
  }
}
