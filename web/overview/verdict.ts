// Says whether a day is normal, by what is usual at this time on this day of the week.

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

export interface Verdict {
  readonly kind: "normal" | "unusual" | "unknown"
  readonly title: string
  readonly reason: string
}

/** `day`: the day of the week, as "Tuesday". */
export function verdictOf({ numbers }: OverviewNumbers, day: string): Verdict {
  const judged = NUMBERS.filter(({ name }) => typeof numbers?.[name].unusual === "boolean")
  if (judged.length === 0)
    return {
      kind: "unknown",
      title: "Not enough days yet",
      reason: `What is usual is known after four ${day}s with runs.`,
    }
  const odd = judged.filter(({ name }) => numbers?.[name].unusual === true)
  if (odd.length === 0)
    return { kind: "normal", title: `A normal ${day}`, reason: `${sentence(listed(judged))} ${are(judged)} within the usual range.` }
  const rest = judged.filter((one) => !odd.includes(one))
  return {
    kind: "unusual",
    title: `Not a normal ${day}`,
    reason: `${sentence(listed(odd))} ${are(odd)} outside the usual range.${rest.length === 0 ? "" : ` ${sentence(listed(rest))} ${are(rest)} as usual.`}`,
  }
}

type Named = (typeof NUMBERS)[number]

const sentence = (words: string): string => words.slice(0, 1).toUpperCase() + words.slice(1)

/** "runs, cost and time" */
function listed(names: readonly Named[]): string {
  const words = names.map(({ inText }) => inText)
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1) ?? ""}`
}

const are = (names: readonly Named[]): string => (names.length > 1 || names[0]?.name === "runs" || names[0]?.name === "open" ? "are" : "is")
