// The version of this build, as /healthz, receipts and traces name it, and the format of the data that it reads.

export const VERSION = "0.1.0"

/** Stored with each object that stores something, and in the local data folder. It changes when a build reads older data in another way. */
export const FORMAT = 1

/** Why this build does not read `what`; undefined: it does. `found` undefined: the data has no format number. */
export function otherFormat(what: string, found: number | undefined, remedy: string): string | undefined {
  if (found === FORMAT) return undefined
  const theirs = found === undefined ? "of an earlier build, without a format number" : `of format ${found}`
  return `${what} is ${theirs}, and Sluice ${VERSION} reads format ${FORMAT} only and carries no data of earlier builds: ${remedy}`
}
