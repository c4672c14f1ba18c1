// Defines groups of failed runs of a tenant, and their statuses set by people.

import type { GroupSort } from "../../api/insight.ts"
import type { FailureGroup, GroupStatus } from "../../core/run/failure/group.ts"

export interface KeyedGroup extends FailureGroup {
  readonly key: string
}

export interface FailureFilter {
  readonly rehearsed: boolean
  /** [V18] Low scores alone. */
  readonly low?: true
  readonly status?: readonly GroupStatus[]
  /** Names, and globs with `*`. */
  readonly flow?: readonly string[]
  /** Words that must all be in the group's texts (core/text/plain-words.ts). */
  readonly q?: readonly string[]
  /** Milliseconds: the group was seen at `since` or later, and before `until`. */
  readonly since?: number
  readonly until?: number
  /** Absent: last seen first. */
  readonly sort?: GroupSort
}

export interface FailuresPort {
  list(filter: FailureFilter): Promise<readonly KeyedGroup[]>
  /** undefined: there is no such group. */
  put(key: string, status: GroupStatus, by: string): Promise<KeyedGroup | undefined>
}
