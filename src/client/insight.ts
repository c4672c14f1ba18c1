// Reads the usage of runs, their measures by hour and day, and groups of their failures.

import type * as shapes from "../api/doc/insight.doc.ts"
import type { GroupSort, insight } from "../api/insight.ts"
import type { FlowMeasures, Overview } from "../api/doc/overview.doc.ts"
import type { FailureGroup, Usage as UsageShown } from "../api/doc/insight.doc.ts"
import type { GroupStatus } from "../core/run/failure/group.ts"
import type { UsageBy } from "../core/run/usage/run-usage.ts"
import type { Paged } from "./transport/paged.ts"
import { Part } from "./transport/part.ts"
import { part } from "./transport/transport.ts"

/** Days such as 2026-11-23, both included; the last 30 if left out. */
export interface UsageDays {
  readonly from?: string
  readonly to?: string
  /** 1: rehearsed runs, and only these. */
  readonly rehearsed?: 0 | 1
}

/** `day`, `hour`: a row for each of them and each name, for the 20 names with the highest usage; hours in all (`by` day) or by flow. */
export interface UsageOptions extends UsageDays {
  readonly each?: "day" | "hour"
}

/** Times in ISO 8601; the last 24 hours if left out. */
export interface MeasuredSpan {
  readonly since?: string
  readonly until?: string
  readonly each?: "hour" | "day"
  /** 1: rehearsed runs, and only these. */
  readonly rehearsed?: 0 | 1
  /** 1: models, tools, API keys and tags in each slice too. */
  readonly names?: 0 | 1
}

export class UsageClient extends Part {
  /** How all runs go, and what is usual. */
  overview(span: MeasuredSpan = {}): Promise<Overview> {
    return this.json("GET", "/v1/overview", { query: { ...span } })
  }
  /** How the runs of a flow go, by revision and step. */
  ofFlow(flow: string, span: MeasuredSpan = {}): Promise<FlowMeasures> {
    return this.json("GET", `/v1/flows/${part(flow)}/measures`, { query: { ...span } })
  }
  by(by: UsageBy, days: UsageOptions = {}): Promise<UsageShown> {
    return this.json("GET", "/v1/usage", { query: { by, ...days } })
  }
  /** A table for spreadsheets. */
  csv(by: UsageBy, days: UsageOptions = {}): Promise<string> {
    return this.transport.text("/v1/usage", { query: { by, ...days, format: "csv" } })
  }
}

export interface FailureFilter {
  readonly status?: GroupStatus
  /** A flow, or several joined by commas; `*` stands for any characters. */
  readonly flow?: string
  /** Words that are all in the group's texts. */
  readonly q?: string
  /** A time, a day, or a span back from now such as `7d`. */
  readonly since?: string
  readonly until?: string
  readonly sort?: GroupSort
  /** The maximum number of rows on a page. */
  readonly limit?: number
  /** 1: rehearsed runs, and only these. */
  readonly rehearsed?: 0 | 1
  /** 1: succeeded runs with a low score, and only these. */
  readonly low?: 0 | 1
}

export class Failures extends Part<typeof insight, typeof shapes> {
  /** Last seen first, unless `sort` says otherwise. */
  readonly list: (filter?: FailureFilter) => Paged<FailureGroup> = this.paged("/v1/failures")
  mark(failure: string, status: GroupStatus): Promise<FailureGroup> {
    return this.json("POST", `/v1/failures/${part(failure)}`, { body: { status } })
  }
}
