// Describes thrown values and the faults of a value in words.

/** The message of a thrown value. `otherwise`: the text for a value that is not an Error; by default the value as text. */
export const messageOf = (error: unknown, otherwise?: string): string =>
  error instanceof Error ? error.message : (otherwise ?? String(error))

/** `/a must be text; /b is unknown` */
export const faultsText = (faults: readonly { readonly pointer: string; readonly message: string }[]): string =>
  faults.map(({ pointer, message }) => `${pointer} ${message}`).join("; ")
