// What a pane beside the editor of a flow is given: tests, revisions, architect.

import type { Api } from "../shell/session.ts"

export interface SideProps {
  readonly api: Api
  /** The flow's id. */
  readonly flow: string
  /** The flow's text in the editor. */
  readonly text: string
  /** The flow's text as it is stored; undefined: it is not stored yet. */
  readonly saved: string | undefined
  /** Puts another text into the editor; nothing is stored by it. */
  onText(text: string): void
  /** The stored flow, or what belongs to it, was changed by the pane: the editor reads it again. */
  onSaved(): void
}
