// The names of a request's query parameters, as its route declares them [H3]: an unknown one is refused with the nearest known name, because a
// filter that is misspelled and ignored would answer with everything. A parameter has one value, so one that comes twice is refused as well.

import type { RouteDoc } from "../../api/route.ts"
import { nearest } from "../../core/text/nearest.ts"
import { short } from "../../core/text/pointer.ts"
import type { Call } from "./call.ts"
import { MAX_FAULTS, type Fault } from "./problem.ts"

/** `?token=` of a run is read at the door, and a hook's sender may write any parameters into its address. */
export function queryFaults(c: Call, { query = {}, token, anyQuery }: RouteDoc): Fault[] {
  if (anyQuery === true || !c.req.url.includes("?")) return []
  const known = [...Object.keys(query), ...(token === true ? ["token"] : [])]
  const faults: Fault[] = []
  const seen = new Map<string, number>()
  for (const name of new URL(c.req.url).searchParams.keys()) {
    const times = (seen.get(name) ?? 0) + 1
    seen.set(name, times)
    if (!known.includes(name) && times === 1) faults.push(unknown(name, known))
    else if (known.includes(name) && times === 2) faults.push({ pointer: `?${name}`, message: "must be given once" })
    if (faults.length > MAX_FAULTS) break
  }
  return faults
}

function unknown(name: string, known: readonly string[]): Fault {
  const near = nearest(name, known)
  const list = known.length === 0 ? "this route takes no query parameters" : `known: ${known.join(", ")}`
  return {
    pointer: `?${short(name)}`,
    message: `unknown query parameter ${JSON.stringify(short(name))}`,
    suggestion: near === undefined ? list : `did you mean "${near}"?`,
  }
}
