// Other work on the machine should wait while something is measured. Processes that start later inherit it; without the right to it nothing
// changes, and the figures are noisier.

import os from "node:os"

export function goFirst(): boolean {
  try {
    os.setPriority(os.constants.priority.PRIORITY_HIGHEST)
    return true
  } catch {
    return false
  }
}
