// Derives where a call goes when it leaves the run, and whether it changes something there [G11]. Derived from the tool and its arguments alone.
//
// A tool that writes leaves the run unless it is known to stay inside, so none can be forgotten.

import { isObject, type JsonObject } from "../json.ts"
import { CALL_AGENT, STORE_PLAN } from "./toolkits.ts"
import { hostOf } from "../text/web-address.ts"
import { overridesByHeader, overridesByQuery } from "./method-override.ts"
import type { Reach, ToolSpec } from "./tool-spec.ts"

export interface Going {
  /** Anything but GET and HEAD, a GET whose headers or query replace the method, and what the tool itself calls a write. */
  readonly writes: boolean
  /** As the address guard reads it; absent: it cannot be told, and no list of hosts allows it. */
  readonly host?: string
  /** As the URL has it or its scheme implies; 443 when it cannot be told. */
  readonly port: number
}

const SAFE = new Set(["GET", "HEAD"])
/** Nobody said where a write goes. */
const ANYWHERE: Reach = { method: { fixed: "POST" } }

type Sent = Pick<ToolSpec, "name" | "groups" | "reach"> & Partial<Pick<ToolSpec, "effect">>

/**
 * Tells whether the tool only changes the run's workspace or plans, or starts a run with its own effects [K31]. Commands leave the run if
 * their machine has a network.
 */
export const staysInside = ({ name, reach, groups = [] }: Sent): boolean =>
  name === STORE_PLAN || name === CALL_AGENT || (reach === undefined && (groups.includes("fs") || groups.includes("runtime")))

/** The reach of a tool; undefined: no call of it leaves the run. */
export const reachOf = (tool: Sent): Reach | undefined =>
  tool.reach ?? (tool.effect === "write" && !staysInside(tool) ? ANYWHERE : undefined)

/** Tells whether a call can send data out of the tenant's control. */
export function sendsOut(tool: Sent): boolean {
  const reach = reachOf(tool)
  return reach !== undefined && !(reach.to !== undefined && "within" in reach.to)
}

/** Tells whether every call changes something outside: of an HTTP tool whose method is another than GET and HEAD. */
export const changesAlways = ({ reach }: Pick<Sent, "reach">): boolean =>
  reach?.method !== undefined && "fixed" in reach.method && !SAFE.has(reach.method.fixed)

/** The target of a call that leaves the run; undefined: the call stays inside. */
export function goingOut(tool: ToolSpec, args: JsonObject): Going | undefined {
  const reach = reachOf(tool)
  if (!reach) return undefined
  const to = reach.to
  const given = to !== undefined && "arg" in to ? args[to.arg] : undefined
  const place = to !== undefined && "host" in to ? { host: to.host, port: 443 } : typeof given === "string" ? hostOf(given) : undefined
  return { writes: writes(tool, args), port: 443, ...place }
}

/** Tells whether this call changes something. A tool that only reads by default writes when its arguments say POST. */
export function writes(tool: ToolSpec, args: JsonObject): boolean {
  return tool.effect === "write" || (tool.reach !== undefined && (!SAFE.has(methodOf(tool, args)) || isOverridden(tool, args)))
}

/**
 * Tells whether this call must not be sent twice, or in parallel with another [J11, J22]. If the method is an argument, any method that
 * changes something counts, whatever the tool declares [T21].
 */
export const isWrite = (tool: ToolSpec, args: JsonObject): boolean =>
  tool.effect === "write" || (tool.reach !== undefined && ("arg" in tool.reach.method ? writes(tool, args) : isOverridden(tool, args)))

function isOverridden({ reach, overrides }: ToolSpec, args: JsonObject): boolean {
  const { to, headers } = reach ?? {}
  const given = headers && args[headers.arg]
  if (isObject(given) && overridesByHeader(given)) return true
  if (overrides?.(args) === true) return true
  const url = to !== undefined && "arg" in to ? args[to.arg] : undefined
  return typeof url === "string" && overridesByQuery(url)
}

function methodOf(tool: ToolSpec, args: JsonObject): string {
  const method = tool.reach?.method
  if (!method) return "GET"
  if ("fixed" in method) return method.fixed.toUpperCase()
  const given = args[method.arg]
  return (typeof given === "string" && given !== "" ? given : method.fallback).toUpperCase()
}
