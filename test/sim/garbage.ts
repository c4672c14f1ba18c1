// Garbage: what played seeds leave behind is collected here. V8 waits until 2 GB of it have come together.

import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/** Much more than a few seeds need: a collection takes as long as what is left, not as what goes. */
const MOST_BYTES = 900e6

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void

export function tidy(): void {
  if (process.memoryUsage().heapUsed > MOST_BYTES) collect()
}
