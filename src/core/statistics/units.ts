// Makes the units that are resampled [V37]: rows, where those of one named thread are one unit, because they are not independent.

/** `value`: of one row, such as the mean of its repeats, or the difference between two variants. */
export interface Valued {
  readonly id: string
  readonly thread?: string | undefined
  readonly value: number
}

/** Sums of one unit. Plain arrays of numbers are what the resampling runs over. */
export interface Units {
  readonly sums: readonly number[]
  readonly sizes: readonly number[]
  readonly rows: number
}

/** In the order of the ids, of which a thread has its first row's. */
export function unitsOf(values: readonly Valued[]): Units {
  const units = new Map<string, { sum: number; size: number }>()
  for (const { id, thread, value } of values.toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))) {
    const key = thread === undefined ? `row ${id}` : `thread ${thread}`
    const unit = units.get(key)
    if (unit) {
      unit.sum += value
      unit.size += 1
    } else units.set(key, { sum: value, size: 1 })
  }
  const all = [...units.values()]
  return { sums: all.map(({ sum }) => sum), sizes: all.map(({ size }) => size), rows: values.length }
}

export const meanOf = ({ sums, rows }: Units): number => sums.reduce((sum, one) => sum + one, 0) / rows
