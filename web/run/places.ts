// Where things stand in the graph of a run, in px at a scale of 1.

export const NODE = { width: 148, height: 44, right: 48, below: 16 } as const

/** In px, at 11 px type: a longer label is cut. */
export const MOST_LABEL = 120
export const labelWidth = (label: string): number => Math.min(MOST_LABEL, 12 + 6.5 * label.length)

export interface Box {
  readonly width: number
  readonly height: number
}
export interface NodePlace {
  readonly id: string
  /** From 0 on. */
  readonly row: number
  readonly column: number
  readonly x: number
  readonly y: number
}
export interface EdgeLine {
  readonly id: string
  readonly from: string
  readonly to: string
  readonly label: string | undefined
  /** It leads back in time. */
  readonly isBack: boolean
  /** Of an SVG path. */
  readonly path: string
  /** The middle of the label. */
  readonly x: number
  readonly y: number
}
/** From 0, 0 on, with lines and labels. */
export interface Layout extends Box {
  readonly places: readonly NodePlace[]
  readonly ways: readonly EdgeLine[]
  readonly rows: number
}
