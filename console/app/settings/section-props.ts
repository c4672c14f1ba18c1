// The props of a section of the settings.

import type { Api } from "../shell/session.ts"

export interface SectionProps {
  readonly api: Api
  /** The parts of the address behind the section's name. */
  readonly rest: readonly string[]
}
