// Defines groups of failed runs of a tenant, and their statuses set by people.

import type { FailureGroup, GroupStatus } from "../../core/run/failure/group.ts"

export interface KeyedGroup extends FailureGroup {
  readonly key: string
}

export interface FailuresPort {
  /** Last seen first. */
  list(filter: {
    readonly rehearsed: boolean
    readonly status?: readonly GroupStatus[]
    readonly flow?: readonly string[]
  }): Promise<readonly KeyedGroup[]>
  /** undefined: there is no such group. */
  put(key: string, status: GroupStatus, by: string): Promise<KeyedGroup | undefined>
}
