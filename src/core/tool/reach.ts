// Derives where a call goes when it leaves the run, and whether it changes something there [G11]. Read from the tool and its arguments
// alone.
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

/** It changes the run's workspace, its plans, or starts a run that has its own effects [K31]. Commands leave when their machine has a network. */
export const staysInside = ({ name, reach, groups = [] }: Sent): boolean =>
  name === STORE_PLAN || name === CALL_AGENT || (reach === undefined && (groups.includes("fs") || groups.includes("runtime")))

/** undefined: no call of the tool leaves the run. */
export const reachOf = (tool: Sent): Reach | undefined =>
  tool.reach ?? (tool.effect === "write" && !staysInside(tool) ? ANYWHERE : undefined)

/** Can a call carry something out of the tenant's hands? */
export function sendsOut(tool: Sent): boolean {
  const reach = reachOf(tool)
  return reach !== undefined && !(reach.to !== undefined && "within" in reach.to)
}

/** undefined: the call stays inside. */
export function goingOut(tool: ToolSpec, args: JsonObject): Going | undefined {
  const reach = reachOf(tool)
  if (!reach) return undefined
  const to = reach.to
  const given = to !== undefined && "arg" in to ? args[to.arg] : undefined
  const place = to !== undefined && "host" in to ? { host: to.host, port: 443 } : typeof given === "string" ? hostOf(given) : undefined
  return { writes: writes(tool, args), port: 443, ...place }
}

/** Does this very call change something? A tool that looks by default writes when it is told to POST. */
export function writes(tool: ToolSpec, args: JsonObject): boolean {
  return tool.effect === "write" || (tool.reach !== undefined && (!SAFE.has(methodOf(tool, args)) || isOverridden(tool, args)))
}

/** Is this very call one that must not be sent twice, or beside another [J11, J22]? Of a tool whose method is an argument, any method that
 *  changes something makes it one, whatever the tool calls itself [T21]. */
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
