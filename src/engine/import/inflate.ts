// Unpacks deflate (RFC 1951) within a budget. The platform's `DecompressionStream` cannot: it inflates whatever is written to it before
// anything is read, up to 1,032 times its size, and does not say how much it inflated before a fault. Here every byte is counted, in
// damaged data too, and the work is linear in what was counted.

const MAX_BITS = 15

/** What may still be unpacked. One budget serves all entries of an archive. */
export class UnpackBudget {
  #bytes: number
  /** Blocks with their own codes: to build these takes as long as to write 320 bytes, and a block of 11 bytes may write none. */
  #blocks: number

  constructor(bytes: number) {
    this.#bytes = bytes
    this.#blocks = Math.ceil(bytes / 1_024)
  }

  get bytes(): number {
    return this.#bytes
  }

  /** More was wanted than there was. */
  get isSpent(): boolean {
    return this.#bytes < 0 || this.#blocks < 0
  }

  takeBytes(count: number): boolean {
    this.#bytes -= count
    return !this.isSpent
  }

  takeBlock(): boolean {
    this.#blocks -= 1
    return !this.isSpent
  }
}

/** Unpacks data; undefined: the data is damaged, or the budget is used up. */
export function inflate(data: Uint8Array, budget: UnpackBudget): Uint8Array | undefined {
  const source = new Bits(data)
  const target = new Output(budget)
  try {
    for (let last = false; !last;) {
      last = source.take(1) === 1
      block(source, target)
    }
    return source.isAtEnd() ? target.bytes() : undefined
  } catch (e) {
    if (e instanceof Fault) return undefined
    throw e
  }
}

class Fault extends Error {}

class Bits {
  readonly #data: Uint8Array
  #at = 0
  #held = 0
  #count = 0

  constructor(data: Uint8Array) {
    this.#data = data
  }

  take(count: number): number {
    while (this.#count < count) this.#fill()
    const value = this.#held & ((1 << count) - 1)
    this.#held >>>= count
    this.#count -= count
    return value
  }

  /** The next symbol. A canonical code needs no tree: the codes of each length are consecutive numbers. */
  symbol({ counts, symbols }: Code): number {
    let code = 0
    let first = 0
    let index = 0
    for (let length = 1; length <= MAX_BITS; length++) {
      if (this.#count === 0) this.#fill()
      code |= this.#held & 1
      this.#held >>>= 1
      this.#count--
      const count = counts[length] ?? 0
      if (code - count < first) return symbols[index + code - first] ?? 0
      index += count
      first = (first + count) << 1
      code <<= 1
    }
    throw new Fault()
  }

  /** Whole bytes, after the rest of the current one. */
  bytes(count: number): Uint8Array {
    const end = this.#at + count
    if (end > this.#data.length) throw new Fault()
    const taken = this.#data.subarray(this.#at, end)
    this.#at = end
    return taken
  }

  align(): void {
    this.#held = 0
    this.#count = 0
  }

  isAtEnd(): boolean {
    return this.#at === this.#data.length
  }

  #fill(): void {
    const byte = this.#data[this.#at++]
    if (byte === undefined) throw new Fault()
    this.#held |= byte << this.#count
    this.#count += 8
  }
}

class Output {
  readonly #budget: UnpackBudget
  #whole = new Uint8Array(4_096)
  #size = 0

  constructor(budget: UnpackBudget) {
    this.#budget = budget
  }

  beginBlock(): void {
    if (!this.#budget.takeBlock()) throw new Fault()
  }

  byte(value: number): void {
    this.#room(1)
    this.#whole[this.#size++] = value
  }

  append(bytes: Uint8Array): void {
    this.#room(bytes.length)
    this.#whole.set(bytes, this.#size)
    this.#size += bytes.length
  }

  /** A copy may reach into what it writes: `distance` 1 repeats the last byte. */
  repeat(length: number, distance: number): void {
    if (distance > this.#size) throw new Fault()
    this.#room(length)
    const whole = this.#whole
    for (let from = this.#size - distance, end = from + length; from < end; from++) whole[this.#size++] = whole[from] ?? 0
  }

  bytes(): Uint8Array {
    return this.#whole.slice(0, this.#size)
  }

  #room(more: number): void {
    if (!this.#budget.takeBytes(more)) throw new Fault()
    if (this.#size + more <= this.#whole.length) return
    const larger = new Uint8Array(Math.max(this.#size + more, 2 * this.#whole.length))
    larger.set(this.#whole.subarray(0, this.#size))
    this.#whole = larger
  }
}

interface Code {
  /** By length. */
  readonly counts: Uint16Array
  /** In the order of their codes. */
  readonly symbols: Uint16Array
}

/** Refuses lengths that no set of codes has. One code alone may leave the rest unused. */
function codeOf(lengths: Uint8Array): Code {
  const counts = new Uint16Array(MAX_BITS + 1)
  for (const length of lengths) counts[length] = (counts[length] ?? 0) + 1
  const used = lengths.length - (counts[0] ?? 0)
  counts[0] = 0
  const next = new Uint16Array(MAX_BITS + 2)
  let left = 1
  for (let length = 1; length <= MAX_BITS; length++) {
    const count = counts[length] ?? 0
    left = 2 * left - count
    if (left < 0) throw new Fault()
    next[length + 1] = (next[length] ?? 0) + count
  }
  if (left > 0 && !(used === 0 || (used === 1 && counts[1] === 1))) throw new Fault()
  const symbols = new Uint16Array(used)
  lengths.forEach((length, symbol) => {
    if (length === 0) return
    const at = next[length] ?? 0
    symbols[at] = symbol
    next[length] = at + 1
  })
  return { counts, symbols }
}

const FIXED_SYMBOLS = codeOf(Uint8Array.from({ length: 288 }, (_, i) => (i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8)))
const FIXED_DISTANCES = codeOf(new Uint8Array(32).fill(5))

const END = 256
/** Symbols 257 to 285: the shortest length, and how many bits are added to it. */
const LENGTHS = [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258]
const LENGTH_BITS = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0]

function block(source: Bits, target: Output): void {
  switch (source.take(2)) {
    case 0:
      return stored(source, target)
    case 1:
      return coded(source, target, FIXED_SYMBOLS, FIXED_DISTANCES)
    case 2: {
      target.beginBlock()
      const [symbols, distances] = codesOf(source)
      return coded(source, target, symbols, distances)
    }
    default:
      throw new Fault()
  }
}

function stored(source: Bits, target: Output): void {
  source.align()
  const [a = 0, b = 0, c = 0, d = 0] = source.bytes(4)
  const size = a | (b << 8)
  if ((size ^ 0xffff) !== (c | (d << 8))) throw new Fault()
  target.append(source.bytes(size))
}

function coded(source: Bits, target: Output, symbols: Code, distances: Code): void {
  for (let symbol = source.symbol(symbols); symbol !== END; symbol = source.symbol(symbols)) {
    if (symbol < END) {
      target.byte(symbol)
      continue
    }
    const base = LENGTHS[symbol - 257]
    if (base === undefined) throw new Fault()
    const length = base + source.take(LENGTH_BITS[symbol - 257] ?? 0)
    const far = source.symbol(distances)
    if (far >= 30) throw new Fault()
    // Every second distance has one more bit to add: 1, 2, 3, 4, 5, 7, 9, 13, …
    const bits = Math.max(0, (far >> 1) - 1)
    target.repeat(length, (far < 2 ? far : (2 + (far & 1)) << bits) + 1 + source.take(bits))
  }
}

const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

/** The codes of a block that brings its own: the lengths of both, packed with a third code. */
function codesOf(source: Bits): readonly [symbols: Code, distances: Code] {
  const symbols = source.take(5) + 257
  const all = symbols + source.take(5) + 1
  const packed = new Uint8Array(19)
  for (let i = 0, count = source.take(4) + 4; i < count; i++) packed[ORDER[i] ?? 0] = source.take(3)
  const code = codeOf(packed)
  const lengths = new Uint8Array(all)
  for (let at = 0; at < all;) {
    const symbol = source.symbol(code)
    if (symbol < 16) {
      lengths[at++] = symbol
      continue
    }
    if (symbol === 16 && at === 0) throw new Fault()
    const length = symbol === 16 ? (lengths[at - 1] ?? 0) : 0
    const times = symbol === 18 ? 11 + source.take(7) : 3 + source.take(symbol === 17 ? 3 : 2)
    if (at + times > all) throw new Fault()
    lengths.fill(length, at, at + times)
    at += times
  }
  if (symbols > 286 || all - symbols > 30 || lengths[END] === 0) throw new Fault()
  return [codeOf(lengths.subarray(0, symbols)), codeOf(lengths.subarray(symbols))]
}
