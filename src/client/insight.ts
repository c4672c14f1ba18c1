// Reads the usage of runs, and groups of their failures.

import type { FailureGroup, Usage as UsageShown } from "../api/doc/insight.doc.ts"
import type { GroupStatus } from "../core/run/failure/group.ts"
import type { UsageBy } from "../core/run/usage/run-usage.ts"
import { Paged } from "./paged.ts"
import { part, type Transport } from "./transport.ts"

/** Days such as 2026-11-23, both included; the last 30 if left out. */
export interface UsageDays {
  readonly from?: string
  readonly to?: string
  /** 1: rehearsed runs, and only these. */
  readonly rehearsed?: 0 | 1
}

/** `day`: a row for each day and name; of the names, the 20 that used most. */
export interface UsageOptions extends UsageDays {
  readonly each?: "day"
}

export class Usage {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }
  by(by: UsageBy, days: UsageOptions = {}): Promise<UsageShown> {
    return this.#transport.json("GET", "/v1/usage", { query: { by, ...days } })
  }
  /** A table for spreadsheets. */
  async csv(by: UsageBy, days: UsageOptions = {}): Promise<string> {
    const answer = await this.#transport.send("GET", "/v1/usage", { query: { by, ...days, format: "csv" } })
    return answer.text()
  }
}

export interface FailureFilter {
  readonly status?: GroupStatus
  readonly flow?: string
  /** The maximum number of rows on a page. */
  readonly limit?: number
  /** 1: rehearsed runs, and only these. */
  readonly rehearsed?: 0 | 1
}

export class Failures {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }
  /** Last seen first. */
  list(filter: FailureFilter = {}): Paged<FailureGroup> {
    return new Paged(this.#transport, "/v1/failures", { ...filter })
  }
  mark(failure: string, status: GroupStatus): Promise<FailureGroup> {
    return this.#transport.json("POST", `/v1/failures/${part(failure)}`, { body: { status } })
  }
}
