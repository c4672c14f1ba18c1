// Says of a run that is made of several starts how these became one.

interface Merged {
  readonly merged: number
  readonly arrived: number
  readonly began?: number | undefined
}

/** `isBatch`: the run has what each start brought; else the last one's inputs count. */
export function mergedWords({ merged, arrived, began }: Merged, isBatch: boolean, time: (at: number) => string): string {
  const when = began === undefined ? "" : `, and the run began at ${time(began)}`
  const counts = isBatch ? "The run has what each of them brought, in the order of arrival." : "The inputs of the last one count."
  return `One run for ${merged} starts. The first came at ${time(arrived)}${when}. ${counts}`
}
