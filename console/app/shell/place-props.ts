// What the shell gives to the page of a place.

import type { Api } from "./session.ts"

export interface PlaceProps {
  readonly api: Api
  /** The parts of the address behind the place's name. */
  readonly rest: readonly string[]
}
