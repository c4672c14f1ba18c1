// Says whether a day is normal, by what is usual at this time on this day of the week, and if not, what it is about. Each sentence may be false, and
// then its number is wrong.

import { percent, type ChangeEffect } from "./changes.ts"

export type NumberName = "runs" | "success" | "usd" | "p95" | "open"

/** In the order in which they are shown, with how a sentence calls them. */
export const NUMBERS: readonly { readonly name: NumberName; readonly label: string; readonly inText: string }[] = [
  { name: "runs", label: "Runs", inText: "runs" },
  { name: "success", label: "Success", inText: "success" },
  { name: "usd", label: "Cost", inText: "cost" },
  { name: "p95", label: "Time, p95", inText: "time" },
  { name: "open", label: "Open asks", inText: "open asks" },
]

/** Of each number, whether it is out of its usual range; null: nothing is usual. */
export interface OverviewNumbers {
  readonly numbers?: Readonly<Record<NumberName, { readonly unusual: boolean | null }>>
}

/** Why a number is unusual, as far as it is known. */
export interface Suspects {
  /** The flow with the most failed runs of the day, and the change of the day since which it fails more. */
  readonly failing?: {
    readonly flow: string
    readonly count: number
    readonly change?: { readonly revision: number; readonly clock: string; readonly effect: ChangeEffect }
  }
  /** The flow with the most open asks. */
  readonly asking?: { readonly flow: string; readonly count: number }
}

export interface DayVerdict {
  readonly kind: "normal" | "unusual" | "unknown"
  readonly title: string
  readonly reason: string
}

/** `day`: the day of the week, as "Tuesday". */
export function verdictOf({ numbers }: OverviewNumbers, day: string, suspects: Suspects = {}): DayVerdict {
  const judged = NUMBERS.filter(({ name }) => typeof numbers?.[name].unusual === "boolean")
  if (judged.length === 0)
    return {
      kind: "unknown",
      title: "Not enough days yet",
      reason: `After four ${day}s with runs, this page says what is usual.`,
    }
  const odd = judged.filter(({ name }) => numbers?.[name].unusual === true)
  if (odd.length === 0)
    return {
      kind: "normal",
      title: `A normal ${day}`,
      reason: `${sentence(listed(judged))} ${are(judged)} as on the last ${day}s.`,
    }
  const rest = judged.filter((one) => !odd.includes(one))
  const about = aboutOf(odd, suspects)
  const reasons = [
    about.reason,
    about.told.length === odd.length
      ? ""
      : `${sentence(listed(odd.filter((one) => !about.told.includes(one.name))))} ${are(odd.filter((one) => !about.told.includes(one.name)))} outside the usual range.`,
    rest.length === 0 ? "" : `${sentence(listed(rest))} ${are(rest)} as usual.`,
  ]
  return {
    kind: "unusual",
    title: `Not a normal ${day}${about.title === "" ? "" : `: ${about.title}`}`,
    reason: reasons.filter((one) => one !== "").join(" "),
  }
}

interface About {
  readonly title: string
  readonly reason: string
  readonly told: readonly NumberName[]
}

function aboutOf(odd: readonly Named[], { failing, asking }: Suspects): About {
  const is = (name: NumberName): boolean => odd.some((one) => one.name === name)
  const [fails, asks] = [is("success") ? failing : undefined, is("open") ? asking : undefined]
  const change = fails?.change
  const since = change === undefined ? "" : ` since r${change.revision}`
  const failed = fails && failedWords(fails)
  const asked = asks && `${asks.flow} has ${asks.count} open asks.`
  if (fails && asks?.flow === fails.flow)
    return {
      title: `${fails.flow} fails and asks more${since}`,
      reason: `${failed} ${asks.count} of its asks are open.`,
      told: ["success", "open"],
    }
  if (fails)
    return {
      title: `${fails.flow} fails more${since}`,
      reason: [failed, asked].filter(Boolean).join(" "),
      told: asked ? ["success", "open"] : ["success"],
    }
  if (asks) return { title: `${asks.flow} asks more`, reason: asked ?? "", told: ["open"] }
  return { title: "", reason: "", told: [] }
}

function failedWords({ flow, count, change }: NonNullable<Suspects["failing"]>): string {
  if (change === undefined) return `${count} ${count === 1 ? "run" : "runs"} of ${flow} failed today.`
  const { since, before } = change.effect
  return `${since.failed} of its ${since.ended} runs since ${change.clock} failed, ${percent(before.share ?? 0)}% before.`
}

type Named = (typeof NUMBERS)[number]

const sentence = (words: string): string => words.slice(0, 1).toUpperCase() + words.slice(1)

/** "runs, cost and time" */
function listed(names: readonly Named[]): string {
  const words = names.map(({ inText }) => inText)
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1) ?? ""}`
}

const are = (names: readonly Named[]): string => (names.length > 1 || names[0]?.name === "runs" || names[0]?.name === "open" ? "are" : "is")
