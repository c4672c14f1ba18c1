// Tells which asks are alike, so that a person can answer them in one go. Calls are alike if tool, agent and reason are the same: then only their
// arguments differ, and a person has to read nothing else.

import { isObject, type Json, type JsonObject } from "../../src/core/json.ts"
import type { OpenAsk } from "./ask.ts"

/** A longer call cannot be read beside others. Characters. */
const MAX_CALL = 4_000

/** undefined: this ask is answered by itself. */
export function alikeKey(ask: OpenAsk): string | undefined {
  const { kind, flow = "", step = "", agent = "", payload } = ask
  // It is too large for the list, which does not show all of it.
  if (payload["omitted"] === true) return undefined
  switch (kind) {
    case "approval.tool": {
      const { tool, reason } = payload
      return isWhole(payload) ? keyOf(kind, flow, agent, tool, reason) : undefined
    }
    case "ask_user":
    case "fork": {
      const { question, type, options, multiSelect, allowCustom } = payload
      return keyOf(kind, flow, step, agent, question, type, options, multiSelect, allowCustom)
    }
    case "budget":
      return payload["scope"] === "tenant" ? undefined : keyOf(kind, flow, unitsOf(payload))
    // What they carry is different each time, and a server's form is no question of ours.
    case "approval.plan":
    case "effects":
    case "elicitation":
      return undefined
  }
}

/** The whole call can stand in one row. */
const isWhole = ({ tool, args }: JsonObject): boolean =>
  typeof tool === "string" && isObject(args) && JSON.stringify(args).length <= MAX_CALL

const unitsOf = ({ limit }: JsonObject): string[] => (isObject(limit) ? Object.keys(limit).toSorted() : [])

const keyOf = (...parts: readonly (Json | readonly string[] | undefined)[]): string => JSON.stringify(parts.map((part) => part ?? null))

export interface CallsCompared {
  /** Arguments that all calls have, with one value. */
  readonly same: JsonObject
  /** Names of the others. */
  readonly differing: readonly string[]
}

export function compareCalls(asks: readonly OpenAsk[]): CallsCompared {
  const calls = asks.map(({ payload: { args } }) => (isObject(args) ? args : {}))
  const names = [...new Set(calls.flatMap((args) => Object.keys(args)))]
  const textOf = (args: JsonObject, name: string): string => JSON.stringify(args[name] ?? null)
  const [first = {}] = calls
  const isSame = (name: string): boolean => calls.every((args) => Object.hasOwn(args, name) && textOf(args, name) === textOf(first, name))
  return {
    same: Object.fromEntries(names.flatMap((name): [string, Json][] => (isSame(name) ? [[name, first[name] ?? null]] : []))),
    differing: names.filter((name) => !isSame(name)),
  }
}
