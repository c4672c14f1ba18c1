// Sticky sessions of one tenant [J25]: who has one, what was said in it. Identity is the agent and the session's id.
//
// Behind it stands the tenant's object, the only place that says what a session holds; the conversations themselves are blobs.

export interface Claim {
  readonly agent: string
  readonly id: string
  /** `run/step/pass`: asked again by the same one, the same is given. */
  readonly by: string
  /** Absent: a session that is not there is made. */
  readonly mustExist?: boolean
}

export type Claimed =
  | {
      readonly ok: true
      readonly isNew: boolean
      /** Hashes of the earlier conversations, oldest first. */
      readonly chunks: readonly string[]
      readonly bytes: number
      readonly tainted: boolean
      readonly private: boolean
    }
  | { readonly ok: false; readonly code: "unknown" }
  /** `by`: who has it. */
  | { readonly ok: false; readonly code: "busy"; readonly by: string }

export interface SessionRow {
  readonly agent: string
  readonly id: string
  /** ISO 8601 UTC. */
  readonly created: string
  readonly used: string
  readonly expires: string
  /** How many runs it has gone through, and how large what was said is. */
  readonly runs: number
  readonly bytes: number
  readonly tainted: boolean
  readonly busy: boolean
}

export interface StickySessions {
  claim(claim: Claim): Promise<Claimed>
  /** Gives it back, with what was said when something was. From one who does not have it (any more) it changes nothing. */
  giveBack(
    claim: Claim,
    said?: { readonly chunk: string; readonly bytes: number; readonly tainted: boolean; readonly private: boolean },
  ): Promise<void>
  /** Last used first. */
  list(): Promise<readonly SessionRow[]>
  /** false: there is none. One in use is deleted too: what is said in it is not kept. */
  remove(agent: string, id: string): Promise<boolean>
}
