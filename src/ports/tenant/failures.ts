// Failures of a tenant's runs in groups, and what people say about them.

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
