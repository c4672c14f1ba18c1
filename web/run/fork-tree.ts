// The runs that a run has come from and that have come from it, as a tree: its source to the left, forks to the right.

/** A run of the family, as far as a row of the list tells it. */
export interface Kin {
  readonly id: string
  readonly fork?: { readonly run: string; readonly seq: number }
}

export interface KinPlace<K extends Kin> {
  /** Undefined: stands for {@link more} runs that are not drawn. */
  readonly kin: K | undefined
  readonly key: string
  readonly more: number
  /** The one that it was forked from is drawn too. */
  readonly parent: string | undefined
  /** From 0 on; a row may be between two. */
  readonly column: number
  readonly row: number
}

export interface Tree<K extends Kin> {
  readonly places: readonly KinPlace<K>[]
  readonly columns: number
  readonly rows: number
  /** All of the family that is known. */
  readonly count: number
}

/** Of a larger family, only the path to the run is drawn, with what is left out as one. */
export const MOST_KIN = 12

interface Branch<K extends Kin> {
  readonly kin: K | undefined
  readonly key: string
  readonly more: number
  readonly below: readonly Branch<K>[]
}

/**
 * `path`: from the first source to the run itself. `forks`: those of each run of the path, as far as they are known. `whole`: runs whose forks are
 * all drawn, however many they are.
 */
export function treeOf<K extends Kin>(
  path: readonly K[],
  forks: ReadonlyMap<string, readonly K[]>,
  whole: ReadonlySet<string> = new Set(),
): Tree<K> {
  const [root] = path
  const self = path.at(-1)
  if (root === undefined || self === undefined) return { places: [], columns: 0, rows: 0, count: 0 }
  const inPath = new Set(path.map(({ id }) => id))
  const known = new Set([...inPath, ...[...forks.values()].flatMap((all) => all.map(({ id }) => id))])
  const isLarge = known.size > MOST_KIN
  const branch = (kin: K): Branch<K> => {
    const at = path.findIndex(({ id }) => id === kin.id)
    const next = at < 0 ? undefined : path[at + 1]
    const all = at < 0 ? [] : (forks.get(kin.id) ?? [])
    const inOrder = next !== undefined && !all.some(({ id }) => id === next.id) ? [next, ...all] : all
    const drawn = isLarge && !whole.has(kin.id) ? inOrder.filter(({ id }) => inPath.has(id)) : inOrder
    const left = inOrder.length - drawn.length
    const rest = left === 0 ? [] : [{ kin: undefined, key: `${kin.id} more`, more: left, below: [] }]
    return { kin, key: kin.id, more: 0, below: [...drawn.map(branch), ...rest] }
  }
  const places: KinPlace<K>[] = []
  let rows = 0
  const place = ({ below, ...one }: Branch<K>, column: number, parent: string | undefined): number => {
    const under = below.map((each) => place(each, column + 1, one.key))
    const row = under.length === 0 ? rows++ : ((under[0] ?? 0) + (under.at(-1) ?? 0)) / 2
    places.push({ ...one, parent, column, row })
    return row
  }
  place(branch(root), 0, undefined)
  const columns = Math.max(...places.map(({ column }) => column)) + 1
  return { places: places.toSorted((a, b) => a.column - b.column || a.row - b.row), columns, rows, count: known.size }
}

/** A fork from the first event keeps nothing: the run was run again. */
export const isAgain = ({ fork }: Kin): boolean => fork !== undefined && fork.seq <= 1
