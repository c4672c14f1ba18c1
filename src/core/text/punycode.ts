// Decodes a label of an international host name (RFC 3492): `xn--bcher-kva` is `bücher`.

const BASE = 36
const [T_MIN, T_MAX, SKEW, DAMP] = [1, 26, 38, 700]

/** The decoded label. Any other label, or an invalid one, is returned unchanged. */
export function unicodeOf(label: string): string {
  if (!label.toLowerCase().startsWith("xn--")) return label
  const rest = label.slice(4)
  if (rest === "") return label
  const basic = Math.max(0, rest.lastIndexOf("-"))
  const out = Array.from(rest.slice(0, basic), (letter) => letter.codePointAt(0) ?? 0)
  let [n, i, bias] = [128, 0, 72]
  for (let at = basic > 0 ? basic + 1 : 0; at < rest.length;) {
    const before = i
    for (let weight = 1, k = BASE; ; k += BASE) {
      const digit = digitOf(rest[at++])
      if (digit === undefined || i > 0x10ffff * (out.length + 1)) return label
      i += digit * weight
      const least = Math.min(T_MAX, Math.max(T_MIN, k - bias))
      if (digit < least) break
      weight *= BASE - least
    }
    const length = out.length + 1
    bias = adapted(i - before, length, before === 0)
    n += Math.floor(i / length)
    i %= length
    if (n > 0x10ffff) return label
    out.splice(i++, 0, n)
  }
  return String.fromCodePoint(...out)
}

function digitOf(letter: string | undefined): number | undefined {
  const digit =
    letter === undefined ? Number.NaN : /^[a-z]$/i.test(letter) ? Number.parseInt(letter, 36) - 10 : Number.parseInt(letter, 10) + 26
  return Number.isNaN(digit) ? undefined : digit
}

function adapted(delta: number, length: number, isFirst: boolean): number {
  let d = isFirst ? Math.floor(delta / DAMP) : delta >> 1
  d += Math.floor(d / length)
  let k = 0
  for (; d > ((BASE - T_MIN) * T_MAX) >> 1; k += BASE) d = Math.floor(d / (BASE - T_MIN))
  return k + Math.floor(((BASE - T_MIN + 1) * d) / (d + SKEW))
}
