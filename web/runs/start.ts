// Reads what few starts need from the fields of a form.

export interface MoreOfStart {
  readonly tags?: string
  readonly budget?: string
  readonly effects?: string
  readonly thread?: string
  readonly autonomous?: string
  readonly revision?: string
}

export interface StartRead {
  readonly start: {
    readonly tags?: string[]
    readonly budget?: { readonly usd: number }
    readonly effects?: "staged" | "dry"
    readonly thread?: string
    readonly autonomous?: boolean
  }
  readonly revision?: number
  /** Field → what is wrong. */
  readonly faults: Readonly<Record<string, string>>
}

export function startOf({ tags = "", budget = "", effects, thread = "", autonomous, revision = "" }: MoreOfStart): StartRead {
  const labels = [...new Set(tags.split(",").map((tag) => tag.trim()))].filter((tag) => tag !== "")
  const usd = Number(budget.trim().replace(/^\$/, ""))
  const number = Number(revision.trim().replace(/^r/i, ""))
  const [hasBudget, hasRevision] = [budget.trim() !== "", revision.trim() !== ""]
  const isAmount = Number.isFinite(usd) && usd >= 0
  const isRevision = Number.isSafeInteger(number) && number > 0
  return {
    start: {
      ...(labels.length === 0 ? {} : { tags: labels }),
      ...(hasBudget && isAmount ? { budget: { usd } } : {}),
      ...(effects === "staged" || effects === "dry" ? { effects } : {}),
      ...(thread.trim() === "" ? {} : { thread: thread.trim() }),
      ...(autonomous === "true" || autonomous === "false" ? { autonomous: autonomous === "true" } : {}),
    },
    ...(hasRevision && isRevision ? { revision: number } : {}),
    faults: {
      ...(hasBudget && !isAmount ? { budget: "This is not an amount." } : {}),
      ...(hasRevision && !isRevision ? { revision: "This is not a revision. Write its number, as 18." } : {}),
    },
  }
}
