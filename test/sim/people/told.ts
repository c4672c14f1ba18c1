// Told: what people were told by a 2xx in one life of a tenant. Whoever is told something may rely on it: that is what laws look at.
// Times are virtual milliseconds: `asked` when the request left for the first time, `at` when its answer came.

export type By = "start" | "fork" | "again" | "delivery" | "redelivery" | "fire" | "chat" | "subagent"

/** A run whose start was acknowledged. */
export interface Started {
  readonly id: string
  readonly flow: string
  /** Its task names it: no other start has this name; a fork, and a run again, has that of its source. */
  readonly name: string
  readonly hasCallback: boolean
  readonly by: By
  readonly asked: number
  readonly at: number
  readonly budget?: object
  readonly effects?: "live" | "staged" | "dry"
  readonly session?: string
}

export interface Forked {
  readonly id: string
  readonly source: string
  /** After which event of the source it was cut; undefined: from the beginning, again. */
  readonly seq?: number
  readonly patch?: object
  readonly instead?: object
}

/** [R9–R13] A start of a flow with a block, and the run that it was answered with. */
export interface Join {
  readonly run: string
  readonly flow: string
  readonly key: string
  readonly name: string
  readonly asked: number
  readonly at: number
  readonly delivered?: true
}

/** [W3] Sent twice at once, and again whenever it was not answered. */
export interface Delivery {
  readonly hook: string
  readonly name: string
  readonly passesFilter: boolean
  /** Runs named in its 2xx answers; null: none. */
  readonly runs: Set<string | null>
  /** Runs that a redelivery was answered. */
  readonly again: Set<string>
}

export interface Schedule {
  readonly id: string
  readonly flow: string
  readonly overlap: "skip" | "queue" | "parallel"
  /** Every minute from here until it was deleted. */
  readonly since: number
  until?: number
}

/** [W5] A fire by hand. */
export interface Fire {
  readonly schedule: string
  readonly verdict: string
  readonly run: string | null
  readonly at: number
}

/** [F71] A write of the catalog that was acknowledged, in this order: there is one writer at a time. */
export interface Write {
  /** What the worker's prompt says from here on. */
  readonly edition: number
  readonly revision?: number
  readonly asked: number
  readonly at: number
}

export interface Key {
  readonly id: string
  readonly created: number
  /** When its revocation was acknowledged. */
  revoked?: number
  readonly uses: { readonly asked: number; readonly at: number; readonly status: number }[]
}

/** [E4] What a reader of a run's stream has received: over all its connections, each event once. */
export interface Reading {
  readonly run: string
  /** Texts of events, from seq 1. */
  readonly events: string[]
  readonly connections: number
  /** It was told that the run is over. */
  readonly isOver: boolean
}

/** [P7, P8] A message to a thread. */
export interface Message {
  readonly flow: string
  readonly thread: string
  readonly id: string
  readonly text: string
  /** Of each answer. 409: the thread was busy. */
  readonly statuses: number[]
}

/** A setting that was acknowledged: budget of the day, quotas, policy. */
export interface Ruled {
  readonly what: "budget" | "quotas" | "policy"
  readonly value: object
  readonly asked: number
  readonly at: number
}

export class Told {
  readonly starts: Started[] = []
  /** Names that several runs have by right: forked, run again, redelivered, fired each minute. */
  readonly repeats = new Set<string>()
  /** `RUN/INTERACTION`, by what was answered 200. */
  readonly answers = new Map<string, string>()
  readonly canceled = new Set<string>()
  /** A cancel was told that there is no such run. */
  readonly missed = new Set<string>()
  readonly deleted = new Set<string>()
  /** [V19] What graders said of ended runs, each of them once. */
  readonly thumbs: { readonly run: string; readonly user: string; readonly thumb: string }[] = []
  /** [V12] Runs whose scores were asked for. */
  readonly scored = new Set<string>()
  /** [V13] From here on runs of a flow are scored by themselves. */
  sampledSince: number | undefined
  hasDataset = false
  /** [V28] Rows by hand that were deleted. */
  readonly rowsGone = new Set<string>()
  readonly signaled = new Set<string>()
  /** Since when; a run that was told to resume is not here. */
  readonly paused = new Map<string, number>()
  readonly steers: { readonly run: string; readonly step: string; readonly id: string; readonly message: string; readonly at: number }[] =
    []
  /** Files that were put into a workspace. */
  readonly files: { readonly run: string; readonly path: string; readonly text: string; readonly at: number }[] = []
  readonly forks: Forked[] = []
  readonly joins: Join[] = []
  readonly deliveries: Delivery[] = []
  readonly schedules: Schedule[] = []
  readonly fires: Fire[] = []
  readonly writes: Write[] = []
  readonly keys: Key[] = []
  readonly readings: Reading[] = []
  readonly messages: Message[] = []
  readonly rules: Ruled[] = []
  /** Receivers of all runs' notices, by id; until when, if it was deleted. */
  readonly receivers = new Map<string, { readonly since: number; readonly path: string; until?: number }>()
  /** `RUN/EFFECT`: what was said to have become of it. */
  readonly resolved = new Map<string, string>()
  readonly undone = new Set<string>()
  readonly sessions = new Map<string, string[]>()
  /** The run of a call of an agent → the session that its answer named. */
  readonly called = new Map<string, string>()
}
