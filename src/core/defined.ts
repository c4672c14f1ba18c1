// Removes undefined members: a key of a journal row, an answer or a query has a value or is absent.

type Optional<T> = { [Name in keyof T]: undefined extends T[Name] ? Name : never }[keyof T]

export type Defined<T> = Omit<T, Optional<T>> & { [Name in Optional<T>]?: Exclude<T[Name], undefined> }

/** The members that have a value, in order. */
export function defined<const T extends object>(members: T): Defined<T>
export function defined(members: Readonly<Record<string, unknown>>): object {
  const kept: Record<string, unknown> = {}
  for (const name in members) if (members[name] !== undefined) kept[name] = members[name]
  return kept
}
