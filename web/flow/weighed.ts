// Counts what is wrong with files: errors, warnings, and warnings that the author of the file silenced with a reason [F54d].

interface Told {
  readonly severity: string
  readonly silenced?: string
}

export interface Weighed {
  readonly errors: number
  readonly warnings: number
  readonly silenced: number
}

export function weighed(told: readonly Told[]): Weighed {
  const errors = told.filter(({ severity }) => severity === "error").length
  const silenced = told.filter((one) => one.silenced !== undefined).length
  return { errors, warnings: told.length - errors - silenced, silenced }
}
