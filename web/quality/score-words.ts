// Says a score, who gave it, and what people said, in the words of the pages.

/** `0.50`; a scorer that does not apply has none. */
export const scoreWords = (score: number | null | undefined): string => (score === null || score === undefined ? "–" : score.toFixed(2))

/** Below it a score is drawn as bad where no rule says what is low. */
export const LOW = 0.5

/** `sample` and `experiment` are no names of people. */
export const byWords = (by: string): string =>
  by === "sample" ? "in the sample" : by === "experiment" ? "by an experiment" : `asked by ${by}`

/** `page` is the customer's own page. */
export const giverWords = ({ by, user }: { readonly by: string; readonly user?: string }): string =>
  by === "page" ? "A customer, on your page" : user === undefined ? by : `${user}, by ${by}`
