// Checks a request's parameters against its route's declaration [H3], once, before any handler reads one: their names, their greatest lengths
// and the values of flags. A misspelled filter that is ignored would answer with everything, and `dry=true` that counted as no `dry` would
// write, so both are refused; and so is a parameter that comes twice.
//
// A part of a path that is longer than any id can be names nothing that exists.

import { MAX_PATH_PARAMETER, ZERO_OR_ONE, type Parameters, type RouteDoc } from "../../api/route/route.ts"
import { nearest } from "../../core/text/nearest.ts"
import { short } from "../../core/text/pointer.ts"
import type { Call, Handler } from "./call.ts"
import { invalid, MAX_FAULTS, NOT_FOUND, refuse, type Fault } from "./problem.ts"
import { oneWord } from "./query.ts"

export const bounded =
  (declared: RouteDoc, handler: Handler): Handler =>
  (c) => {
    const { query = {}, headers = {}, scope } = declared
    // The token of an open link has a reader of its own, which refuses one that is too long.
    if (scope !== "open" && Object.values(c.req.param()).some((part) => part.length > MAX_PATH_PARAMETER)) return refuse(c, NOT_FOUND)
    const faults = [
      ...queryFaults(c, declared),
      ...flagFaults(query, (name) => c.req.query(name)),
      ...faultsOf(
        query,
        (name) => c.req.queries(name) ?? [],
        (name) => `?${name}`,
      ),
      ...faultsOf(
        headers,
        (name) => [c.req.header(name) ?? ""],
        () => "",
      ),
    ]
    return faults.length > 0 ? refuse(c, invalid(faults)) : handler(c)
  }

function flagFaults(declared: Parameters, given: (name: string) => string | undefined): Fault[] {
  return Object.entries(declared).flatMap(([name, { schema }]) => {
    const read = schema === ZERO_OR_ONE ? oneWord(name, given(name), ZERO_OR_ONE.enum) : undefined
    return read === undefined || read.ok ? [] : (read.error.errors ?? [])
  })
}

function faultsOf(declared: Parameters, given: (name: string) => readonly string[], pointer: (name: string) => string): Fault[] {
  return Object.entries(declared).flatMap(([name, { schema }]) => {
    const most = schema["maxLength"]
    const long = typeof most === "number" ? given(name).find((text) => text.length > most) : undefined
    if (long === undefined) return []
    const what = pointer(name) === "" ? `the header ${name} ` : ""
    return [{ pointer: pointer(name), message: `${what}has ${long.length} characters; at most ${String(most)} are allowed` }]
  })
}

/** `?token=` of a run is read at the door, and a hook's sender may write any parameters into its address. */
function queryFaults(c: Call, { query = {}, token, anyQuery }: RouteDoc): Fault[] {
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
