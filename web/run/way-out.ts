// The way out of a failure, by what caused it: the place where it is mended, before the run goes on from there.

export interface RunFailure {
  readonly source: string
  readonly message: string
}

/** What the run knows of the step that failed. */
export interface FailedAt {
  readonly flow: string
  readonly step: string | undefined
  readonly agent: string | undefined
  /** `PROVIDER/MODEL`. */
  readonly model: string | undefined
  /** The child run that failed last. */
  readonly child: string | undefined
}

export interface WayOut {
  /** The button. */
  readonly label: string
  /** Of the address, each a segment. */
  readonly to: readonly string[]
  readonly query?: string
  /** What it is for, as a sentence. */
  readonly why: string
}

/** undefined: nothing needs to be mended first; a fork may do. */
export function wayOut({ source, message }: RunFailure, at: FailedAt): WayOut | undefined {
  switch (source) {
    case "api_error":
      return ofProvider(message, at)
    case "budget":
      return BUDGET
    case "code_error":
    case "code_contract":
    case "code_timeout":
    case "code_diverged":
    case "flow_hard_error":
      return ofHandler(message, at)
    case "child_failed":
      return at.child === undefined
        ? undefined
        : { label: "Open the failed run", to: ["runs", at.child], why: "The cause is in the run below: fix it there first." }
    case "tool_failed":
      return { label: "Change the step", ...flowAt(at), why: "Its arguments, or the service that the tool calls, caused this." }
    case "config":
      return ofConfig(message, at)
    case "step_timeout":
    case "run_timeout":
      return { label: "Change the timeout", ...flowAt(at), why: "Give it more time, or less to do." }
    case "max_turns":
    case "agent_stuck":
    case "agent_no_finish":
    case "no_branch":
      return at.agent === undefined
        ? undefined
        : { label: `Edit the agent ${at.agent}`, to: ["agents", at.agent], why: "Its prompt or its tools most often cause this." }
    default:
      return /\bpolicy\b/i.test(message) ? POLICY : undefined
  }
}

const POLICY: WayOut = { label: "Review the policy", to: ["settings", "policy"], why: "The policy refuses what the step needs." }
const BUDGET: WayOut = { label: "Raise the budget", to: ["settings", "budget"], why: "A fork stops at the same limit until it is raised." }

const flowAt = ({ flow, step }: FailedAt): Pick<WayOut, "to" | "query"> => ({
  to: ["flows", flow],
  ...(step === undefined ? {} : { query: `step=${encodeURIComponent(step)}` }),
})

/** Of a message that a model's provider has caused. */
export const statusIn = (message: string): number | undefined => {
  const found = /\bprovider answered (\d{3})\b/.exec(message)?.[1]
  return found === undefined ? undefined : Number(found)
}

function ofProvider(message: string, { model, agent }: FailedAt): WayOut | undefined {
  const provider = model?.includes("/") === true ? model.slice(0, model.indexOf("/")) : undefined
  const settings = ["settings", "providers"]
  const name = provider ?? "the provider"
  switch (statusIn(message)) {
    case 401:
    case 403:
      return { label: `Replace the key of ${name}`, to: settings, why: "The provider refuses the key, so a fork would fail again." }
    case 402:
      return { label: `Check the account of ${name}`, to: settings, why: "The provider wants to be paid before it answers." }
    case 404:
      return { label: "Choose another model", to: ["settings", "roles"], why: `The provider does not have ${model ?? "this model"}.` }
    case 400:
    case 413:
    case 422:
      return agent === undefined
        ? undefined
        : { label: `Edit the agent ${agent}`, to: ["agents", agent], why: "The provider refuses the request as it is." }
    default:
      // It is down or has too much to do: that passes.
      return undefined
  }
}

/** The line that a failure of a handler names. */
export const lineIn = (message: string): number | undefined => {
  const found = /\(line (\d+)\)\s*$/.exec(message)?.[1]
  return found === undefined ? undefined : Number(found)
}

export const handlerFile = (flow: string, step: string): string => `code/${flow.replaceAll(":", "/")}/${step}.ts`

/** Where the flow's page shows the handler of a step. */
export const handlerQuery = (flow: string, step: string, line?: number): string =>
  `file=${encodeURIComponent(handlerFile(flow, step))}${line === undefined ? "" : `&line=${line}`}`

function ofHandler(message: string, { flow, step }: FailedAt): WayOut | undefined {
  if (step === undefined || message.includes("secrets vault")) return undefined
  const line = lineIn(message)
  return {
    label: line === undefined ? `Open ${step}.ts` : `Open ${step}.ts at line ${line}`,
    to: ["flows", flow],
    query: handlerQuery(flow, step, line),
    why: "Fix the code, save it, then fork with the latest revision.",
  }
}

function ofConfig(message: string, at: FailedAt): WayOut | undefined {
  const scope = /\bscope ([\w.-]+)/.exec(message)?.[1]
  if (/\bsecret\b/i.test(message))
    return {
      label: scope === undefined ? "Add the secret" : `Add the secret ${scope}`,
      to: ["settings", "secrets"],
      why: "What needs it can run once it is there.",
    }
  if (/\bpolicy\b/i.test(message)) return POLICY
  if (/\bprice\b/i.test(message))
    return { label: "Set a price", to: ["settings", "prices"], why: "A limit in dollars needs the model's price." }
  if (/\bprovider\b|\bmodel\b/i.test(message))
    return { label: "Choose a model", to: ["settings", "roles"], why: "No model can answer as it is set up." }
  return { label: "Fix the flow", ...flowAt(at), why: "The flow asks for something impossible." }
}
