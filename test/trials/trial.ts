// Defines a trial: what a server under stress must do. It says what is wrong; a text says why it cannot be tried here.

import type { TrialModel } from "./model.ts"

export interface Ground {
  readonly worker: string
  readonly model: TrialModel
}
/** What is wrong, or why it is not tried. */
type Outcome = readonly string[] | string
export type Trial = (ground: Ground) => Promise<Outcome>
