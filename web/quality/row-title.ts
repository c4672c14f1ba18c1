// Says in a line what a row of a dataset is about.

interface Titled {
  readonly id: string
  readonly name?: string
  readonly task?: string
  readonly inputs?: object
  readonly conversation?: readonly object[]
}

const MOST = 140

/** Its name, its task, or what it is run with. */
export function rowTitle({ id, name, task, inputs }: Titled): string {
  const words = [name, task].find((one) => one !== undefined && one.trim() !== "") ?? (inputs === undefined ? id : JSON.stringify(inputs))
  const line = words.trim().replaceAll(/\s+/g, " ")
  return line.length > MOST ? `${line.slice(0, MOST - 1)}…` : line
}
