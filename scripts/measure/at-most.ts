// States how much of each kind the tree has at most. The numbers may only fall: whoever lowers a count lowers its number here.

export const AT_MOST = {
  circles: 0,
  /** core/flow and core/steps, core/steps and core/run, core/policy and core/tool. */
  pairs: 3,
  types: 42,
  headers: 378,
  starts: 10,
  kinds: 14,
  state: 26,
} as const
