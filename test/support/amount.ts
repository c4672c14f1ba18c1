// Chooses how much a test tries: a part of it in `npm test`, all of it in `npm run proof -- properties` and against a mutant.

const isWhole = process.env["WHOLE"] === "1" || process.env["SLUICE_MUTANT"] !== undefined

/** Cases or sizes. `usual` is enough to meet every kind of case; its cases are the same in every run. */
export const amount = (whole: number, usual: number): number => (isWhole ? whole : usual)
