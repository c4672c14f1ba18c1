// Rounds sums of amounts. Apart from their schemas, so that a page of the browser can price a call without them.

/** From here on a number has no 12 decimals, and rounding would only move it: 36,893,501 tokens became 36,893,500.99999999. */
const COARSE = 2 ** 13

/** Rounds to steps of 10⁻¹², so that adding and subtracting amounts a million times leaves no binary rounding errors. Rounding is
 *  monotone: a cost within its reservation stays within it. Always finite, because JSON has no infinite numbers. */
export function tidy(n: number): number {
  const rounded = Math.abs(n) >= COARSE ? n : Math.round(n * 1e12) / 1e12
  return Number.isFinite(rounded) ? rounded : Math.min(n, Number.MAX_VALUE)
}
