// Says in words what a paced call waits for [R30]: on the run's page, and in a terminal.

interface Waits {
  readonly model: string
  /** ms */ readonly until: number
  readonly ahead: number
}

export function paceWords({ model, until, ahead }: Waits, now: number): string {
  const seconds = Math.max(1, Math.round((until - now) / 1_000))
  return `waits for ${model}, about ${seconds} s${ahead === 0 ? "" : `, ${ahead} before it`}`
}
