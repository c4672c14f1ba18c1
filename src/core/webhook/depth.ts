// How far a delivery is from the outside world, when our own callbacks lead to our own hooks: a run that ends tells a receiver, which is a
// hook, which starts a run … [W7]. Each callback says how many such turns led to it; a hook starts nothing beyond a fixed number of them.
//
// The header is not signed, and need not be. Whoever can prove a delivery may leave it out or say less: that gives him nothing that he
// could not have by sending a first one. Whoever changes it under way, or sends a captured delivery again with a high number, gets that
// one refused; it is not remembered, so the true one is still taken. What bounds a sender who wants a loop is budgets and quotas.

export const DEPTH_HEADER = "x-sluice-depth"

/** Turns that a tenant may mean. A run of the last one is started, and what it tells starts nothing. */
export const MOST_DEPTH = 8

/** Of a delivery; without the header it comes from outside. One that is malformed, or there twice, is too deep: it is none that we sent. */
export function depthOf(header: string | null): number {
  if (header === null) return 0
  return /^\d{1,4}$/.test(header) ? Number(header) : Infinity
}

export const tooDeep = (depth: number): string =>
  depth === Infinity
    ? `the header ${DEPTH_HEADER} is malformed, or came twice`
    : `${depth} callbacks of runs led here, one after the other: more than ${MOST_DEPTH} are taken for a loop`
