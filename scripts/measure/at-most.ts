// States how much of each kind the tree has at most. The numbers may only fall: whoever lowers a count lowers its number here.

export const AT_MOST = {
  circles: 0,
  /** core/run and core/steps: the table of kinds is the kernel's. */
  pairs: 1,
  types: 0,
  headers: 86,
  starts: 1,
  kinds: 1,
  state: 26,
} as const
