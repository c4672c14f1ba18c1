// Says what became of rows that were added to a dataset.

interface Added {
  readonly added: number
  readonly known: number
  readonly left_out: readonly { readonly run: string; readonly why: string }[]
}

const rows = (count: number): string => (count === 1 ? "1 row" : `${count} rows`)

/** Reasons that are named. */
const MOST = 3

export function addedWords(dataset: string, { added, known, left_out: out }: Added): string {
  return [
    added > 0
      ? `${rows(added)} added to ${dataset}.`
      : known > 0
        ? `${dataset} has ${known === 1 ? "this row" : "these rows"} already.`
        : `Nothing was added to ${dataset}.`,
    ...(added > 0 && known > 0 ? [`${rows(known)} ${known === 1 ? "was" : "were"} there already.`] : []),
    ...out.slice(0, MOST).map(({ run, why }) => `${run.slice(0, 12)} is left out: ${why}.`),
    ...(out.length > MOST ? [`${out.length - MOST} more are left out.`] : []),
  ].join(" ")
}
