// Where a client finds the flow, and what it leaves behind.

export interface Place {
  readonly url: string
  readonly key: string
  readonly flow: string
  readonly task: string
}
/** The runs that a client has made: one that ended, and one that was canceled at its question. */
export interface Driven {
  readonly done: string
  readonly canceled: string
}
