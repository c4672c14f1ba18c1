// Derives the external id of an effect [K31], which is the same for every attempt: HTTP tools send it as `Idempotency-Key`.

export const idempotencyKey = (run: string, key: string, hash: (text: string) => string): string =>
  `eff_${hash(`${run}/${key}`).slice(0, 32)}`
