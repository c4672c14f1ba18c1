// The names and greatest lengths of a request's parameters, as its route declares them [H3]: checked once, before any handler reads one. So
// are the values of flags: `dry=true` that counted as no `dry` would write.
//
// A part of a path that is longer than any id can be names nothing that exists.

import { MAX_PATH_PARAMETER, ZERO_OR_ONE, type Parameters, type RouteDoc } from "../../api/route.ts"
import type { Handler } from "./call.ts"
import { invalid, NOT_FOUND, refuse, type Fault } from "./problem.ts"
import { oneWord } from "./query.ts"
import { queryFaults } from "./query-names.ts"

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
