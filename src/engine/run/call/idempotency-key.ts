// The name of an effect outside its run [K31], the same however often its request is sent: HTTP tools send it as `Idempotency-Key`.

export const idempotencyKey = (run: string, key: string, hash: (text: string) => string): string =>
  `eff_${hash(`${run}/${key}`).slice(0, 32)}`
