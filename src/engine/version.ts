// Defines the version of this build for /healthz, receipts and traces, and the format of its data.

export const VERSION = "0.1.0"

/** The format number in each storing object and in the local data folder. It changes when a build would misread older data. */
export const FORMAT = 2

/** The reason why this build cannot read `what`; undefined: it can. `found` undefined: the data has no format number. */
export function otherFormat(what: string, found: number | undefined, remedy: string): string | undefined {
  if (found === FORMAT) return undefined
  const theirs = found === undefined ? "of an earlier build, without a format number" : `of format ${found}`
  return `${what} is ${theirs}, and Sluice ${VERSION} reads format ${FORMAT} only and carries no data of earlier builds: ${remedy}`
}
