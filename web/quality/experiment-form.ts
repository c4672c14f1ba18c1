// Reads what the form of a new experiment asks for, as the API takes it, or what is wrong with it.

export interface ExperimentForm {
  readonly flow: string
  /** Empty: the flow's last runs. */
  readonly dataset: string
  readonly last: string
  readonly kind: "draft" | "revision" | "model" | "recorded"
  readonly value: string
  /** For a model. */
  readonly agent: string
  readonly scorers: readonly string[]
  readonly usd: string
}

export const VARIANT_KINDS = [
  ["draft", "A draft"],
  ["revision", "An earlier revision"],
  ["model", "Another model of an agent"],
  ["recorded", "What the runs once answered"],
] as const satisfies readonly (readonly [ExperimentForm["kind"], string])[]

interface Variant {
  readonly name: string
  readonly draft?: string
  readonly revision?: number
  readonly models?: Readonly<Record<string, string>>
  readonly recorded?: true
}

interface Wish {
  readonly flow: string
  readonly dataset: string | { readonly last: number }
  readonly variants: Variant[]
  readonly scorers: string[]
  readonly budget?: { readonly usd: number }
}

const MAX_LAST = 1_000

export function experimentWish(form: ExperimentForm): { readonly wish: Wish } | { readonly faults: Readonly<Record<string, string>> } {
  const faults: Record<string, string> = {}
  const [flow, value, agent, usd] = [form.flow, form.value, form.agent, form.usd].map((one) => one.trim()) as [
    string,
    string,
    string,
    string,
  ]
  const last = Number(form.last)
  if (flow === "") faults["/flow"] = "Choose a flow."
  if (form.dataset === "" && (!Number.isInteger(last) || last < 1 || last > MAX_LAST)) faults["/dataset"] = "Take 1 to 1,000 runs."
  if (form.kind === "model" && agent === "") faults["/agent"] = "Name the agent that gets the model."
  if (form.kind === "revision" ? !/^[1-9]\d*$/.test(value) : form.kind !== "recorded" && value === "")
    faults["/variants"] = form.kind === "revision" ? "Give the number of a revision." : `Name the ${form.kind}.`
  if (form.scorers.length === 0) faults["/scorers"] = "Choose a scorer."
  if (usd !== "" && !(Number(usd) > 0)) faults["/budget"] = "Must be a number above 0."
  if (Object.keys(faults).length > 0) return { faults }
  return {
    wish: {
      flow,
      dataset: form.dataset === "" ? { last } : form.dataset,
      variants: [{ name: "now" }, variantOf(form.kind, value, agent)],
      scorers: [...form.scorers],
      ...(usd === "" ? {} : { budget: { usd: Number(usd) } }),
    },
  }
}

function variantOf(kind: ExperimentForm["kind"], value: string, agent: string): Variant {
  switch (kind) {
    case "draft":
      return { name: value, draft: value }
    case "revision":
      return { name: `r${value}`, revision: Number(value) }
    case "model":
      return { name: value.slice(value.lastIndexOf("/") + 1), models: { [agent]: value } }
    case "recorded":
      return { name: "recorded", recorded: true }
  }
}
