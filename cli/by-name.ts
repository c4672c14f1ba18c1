// Finds a hook, a schedule or a receiver by its id, or by the name of its file.

import { SluiceError } from "../src/client/transport/sluice-error.ts"

interface Named {
  readonly id: string
  readonly name?: string | undefined
}

/** A word that names none stays as it is, and the server says so. So does every word of a key that may not list them. */
export async function idOf(list: { all(): Promise<readonly Named[]> }, word: string): Promise<string> {
  try {
    const rows = await list.all()
    return (rows.find(({ id }) => id === word) ?? rows.find(({ name }) => name === word))?.id ?? word
  } catch (error) {
    if (error instanceof SluiceError) return word
    throw error
  }
}
