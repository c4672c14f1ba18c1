// Reads how long a server asks clients to wait, in milliseconds: `retry-after-ms`, or `Retry-After` as seconds or as a date, which is
// relative to the server's own `Date`, if it sent one.

/** `now`: used for a date if the server sent no `Date`. undefined: the server did not ask for a wait. */
export function retryAfter(header: (name: string) => string | null | undefined, now: () => number): number | undefined {
  const exact = (header("retry-after-ms") ?? "").trim()
  if (SECONDS.test(exact)) return Math.ceil(Number(exact))
  const value = (header("retry-after") ?? "").trim()
  if (SECONDS.test(value)) return Math.ceil(Number(value) * 1_000)
  const until = Date.parse(value)
  if (Number.isNaN(until)) return undefined
  const sent = Date.parse(header("date") ?? "")
  return Math.max(0, until - (Number.isNaN(sent) ? now() : sent))
}

const SECONDS = /^\d+(?:\.\d+)?$/
