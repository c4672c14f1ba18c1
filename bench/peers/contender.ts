// Describes what runs the workloads of this folder: Sluice in some checkout, or a peer. bench/peers/work.mjs defines the workloads.

export const WORKS = ["w1", "w2", "w3", "w4", "w5"] as const
export type Work = (typeof WORKS)[number]

export interface Contender {
  readonly name: string
  /** What its commits wait for, and what else a reader must know to compare it. */
  readonly note: string
  readonly works: readonly Work[]
  /** Starts it with an empty data folder; `model` is the address of the model server of w4. */
  start(data: string, model: string): Promise<Running>
}

export interface Running {
  /** Resolves when the run has ended: the times (ms) at which its steps were carried out, or none. Of w5, whose runs have a key: when it began and
   *  when it was over, by one clock. */
  run(work: Work, key?: string): Promise<readonly number[]>
  /** The process whose tree does the work. */
  readonly pid: number
  stop(): Promise<void>
}
