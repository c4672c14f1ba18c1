// Defines a tenant's sums of runs by hour and by day, for each flow and for all.

export const KEPT_HOURS = 1_440 // limit: hours that sums of runs are kept by hour, 60 days → the hour is deleted, its day stays
export const KEPT_DAYS = 366 // limit: days that sums of runs are kept by day → the day is deleted

/** The first and the last of some hours or days since 1970, in UTC, both included. */
export type SliceRange = readonly [first: number, last: number]

export interface SumsQuery {
  readonly unit: "hour" | "day"
  /** Absent: of all runs. */
  readonly flow?: string
  readonly rehearsed: boolean
  /** With what is counted by name. */
  readonly whole: SliceRange
  /** Without it. The ranges do not overlap. */
  readonly heads?: readonly SliceRange[]
  /** Hours, the last of which is the one of now, for how many questions were open. */
  readonly open?: SliceRange
}

/** `text`: JSON of a sum, as it is stored. */
export interface StoredSum {
  readonly at: number
  readonly text: string
}

export interface Sums {
  /** Hours or days in which anything happened, in order. */
  readonly whole: readonly StoredSum[]
  readonly heads: readonly StoredSum[]
  /** Open questions now, at most of 10,000 runs, and by how many there were more after an hour than before it. */
  readonly open: number
  readonly changes: readonly (readonly [hour: number, more: number])[]
  /** Runs under way, without child runs and those in line, at most 10,000, and by how many there were more after an hour than before it. */
  readonly active: number
  readonly begun: readonly (readonly [hour: number, more: number])[]
}

export interface SumsPort {
  /** Finds one row for each hour or day of the ranges, and the hours of days that are not summed up yet. */
  read(query: SumsQuery): Promise<Sums>
}
