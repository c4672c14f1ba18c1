// Formats durations, costs and calls of a conversation.

import { unhidden } from "../../src/core/text/hidden.ts"
import { fields, text, type CallPart, type ChatMessage } from "./ui-message.ts"

/** `80 ms`, `4.2 s`, and from ten seconds `0:12`, `5:21`. */
export function duration(ms: number): string {
  if (ms < 999.5) return `${Math.max(0, Math.round(ms))} ms`
  if (ms < 9_950) return `${(ms / 1_000).toFixed(1)} s`
  const seconds = Math.round(ms / 1_000)
  const two = (value: number): string => String(value).padStart(2, "0")
  const [days, hours, minutes] = [Math.floor(seconds / 86_400), Math.floor(seconds / 3_600) % 24, Math.floor(seconds / 60) % 60]
  if (days > 0) return `${days} d ${hours}:${two(minutes)}`
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`
}

/** Dollars without their sign: cents from one dollar on, two significant digits below a tenth, and never 0.000 for what costs something. */
export function dollars(usd: number): string {
  if (usd === 0) return "0"
  const size = Math.abs(usd)
  if (size < 0.001) return "<0.001"
  return usd.toFixed(size >= 100 ? 0 : size >= 0.9995 ? 2 : size >= 0.00995 ? 3 : 4)
}

export const money = (usd: number): string => (Math.abs(usd) < 0.001 && usd !== 0 ? `<$0.001` : `$${dollars(usd)}`)

/** JSON with every hidden character made visible to the person who decides. */
export const visible = (value: unknown): string => unhidden(typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? ""))

/** JSON for editing: hidden characters are escaped. */
export const editable = (value: unknown): string =>
  unhidden(JSON.stringify(value, null, 2) ?? "{}", (_, char) =>
    Array.from({ length: char.length }, (__, at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, "0")}`).join(""),
  )

/** Arguments in one line. */
export function glimpse(input: unknown): string {
  const values = Object.values(fields(input)).map((value) => (typeof value === "string" ? value : (JSON.stringify(value) ?? "")))
  const line = values
    .join(", ")
    .slice(0, MAX_GLIMPSE * 2)
    .replaceAll(/\s+/g, " ")
  return unhidden(line.length > MAX_GLIMPSE ? `${line.slice(0, MAX_GLIMPSE)}…` : line)
}
const MAX_GLIMPSE = 120

/** The line of folded calls. */
export function callsLine({ took, metadata, status }: ChatMessage, calls: readonly CallPart[], figures = true): string {
  const running = status === "writing" ? calls.find(({ state }) => state === "input-available") : undefined
  if (running) return `${unhidden(running.toolName)}…`
  const count = calls.length === 0 ? "Earlier messages" : calls.length === 1 ? "1 call" : `${calls.length} calls`
  const parts = [count]
  if (!figures) return count
  if (status !== "writing" && took !== undefined) parts.push(duration(took))
  if (status !== "writing" && metadata.usd !== undefined) parts.push(money(metadata.usd))
  return parts.join(", ")
}

/** The text of a person's answer. */
export function saidOf(output: unknown): string {
  const said = fields(output)
  if (said["expired"] === true) return "Nobody answered in time."
  if (said["cancelled"] === true) return "You declined to answer."
  if (said["auto"] === true) return "You let the agent decide."
  if (said["decision"] !== undefined) return `You decided: ${text(said["decision"]) ?? ""}.`
  const answer = said["custom"] ?? said["answer"] ?? output
  if (typeof answer === "boolean") return `You answered: ${answer ? "Yes" : "No"}`
  if (Array.isArray(answer)) return `You answered: ${answer.map((one) => visible(one)).join(", ")}`
  return `You answered: ${visible(answer)}`
}
