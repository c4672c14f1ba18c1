// What the client knows of a project's flows, agents, handlers and tools: nothing, until `sluice types` writes `sluice.d.ts`, which adds them to
// `Register`. Without that file every name is any text and every value JSON, as before.

import type { Start } from "../api/run/runs.ts"
import type { HandlerContext } from "./handler-context.ts"
import type { Json, JsonObject } from "../core/json.ts"
import type { RunView } from "../core/run/views/view.ts"

/** Added to by `sluice.d.ts` (`declare module "sluice"`): members `flows`, `agents`, `handlers` and `tools`. */
export interface Register {}

type Of<Kind extends string> = Register extends { readonly [K in Kind]: infer Known } ? Known : Record<never, never>
type Known<Kind extends string, Name, Part extends string, Otherwise> = Name extends keyof Of<Kind>
  ? Of<Kind>[Name] extends { readonly [P in Part]: infer Value }
    ? Value
    : Otherwise
  : Otherwise

export type FlowName = Extract<keyof Of<"flows">, string>
export type AgentName = Extract<keyof Of<"agents">, string>
export type HandlerName = Extract<keyof Of<"handlers">, string>
export type ToolName = Extract<keyof Of<"tools">, string>

/** `support@draft:dev` is the flow `support`. */
type Plain<Flow> = Flow extends `${infer Name}@${string}` ? Name : Flow

/** The name of a flow as an argument: what may be given, and what is inferred from it. */
// eslint-disable-next-line typescript/no-duplicate-type-constituents -- the two differ as soon as a project registers its flows
export type FlowArg<Flow extends string> = Flow & NamedFlow<Flow>

/** The name itself, if it is one of a flow of the project or only known while it runs; else the names that there are. */
type NamedFlow<Flow extends string> = [FlowName] extends [never]
  ? Flow
  : string extends Flow
    ? Flow
    : Plain<Flow> extends FlowName
      ? Flow
      : FlowName

export type FlowInput<Flow> = Known<"flows", Plain<Flow>, "input", JsonObject>
export type FlowOutput<Flow> = Known<"flows", Plain<Flow>, "output", Json>
export type AgentInput<Agent> = Known<"agents", Agent, "input", JsonObject>
export type AgentOutput<Agent> = Known<"agents", Agent, "output", JsonObject>
export type ToolArgs<Tool> = Known<"tools", Tool, "args", JsonObject>
export type HandlerInput<Handler> = Known<"handlers", Handler, "input", JsonObject>
export type HandlerOutput<Handler> = Known<"handlers", Handler, "output", JsonObject>

type AnyHandler = [HandlerName] extends [never] ? string : HandlerName

/** The handler of a code step: `export default (async ({ text }) => ({ total: 1 })) satisfies Handler<"flow/step">`. */
export type CodeHandler<Name extends AnyHandler = AnyHandler> = (
  input: HandlerInput<Name>,
  ctx: Context,
) => Returned<Name> | Promise<Returned<Name>>

/** With the tools of the project, and what they take. */
interface Context extends Omit<HandlerContext, "call"> {
  call<Tool extends AnyTool>(tool: Tool, args?: ToolArgs<Tool>): ReturnType<HandlerContext["call"]>
}
type OrText<Name> = [Name] extends [never] ? string : Name | (string & Record<never, never>)
type AnyTool = OrText<ToolName>

/** An interface is no `Json` to the compiler, so an output without a type of its own takes any value; what is none fails when it runs. */
type Returned<Name> = { [Key in keyof HandlerOutput<Name>]: Json extends HandlerOutput<Name>[Key] ? unknown : HandlerOutput<Name>[Key] }

/** Whether an object may be left out: none of its members must be given. */
type MayBeEmpty<T> = Record<never, never> extends T ? true : false

type Inputs<Flow> = MayBeEmpty<FlowInput<Flow>> extends true ? { readonly inputs?: FlowInput<Flow> } : { readonly inputs: FlowInput<Flow> }
type Task<Flow> =
  Known<"flows", Plain<Flow>, "task", "optional"> extends "required" ? { readonly task: string } : { readonly task?: string }

/** What starts a run of the flow. */
export type StartOf<Flow> = Plain<Flow> extends FlowName ? Omit<Start, "inputs" | "task"> & Inputs<Flow> & Task<Flow> : Start
/** The rest of a call that starts a run: the start may be left out if the flow needs nothing. */
export type StartArgs<Flow, Options> =
  MayBeEmpty<StartOf<Flow>> extends true ? [start?: StartOf<Flow>, options?: Options] : [start: StartOf<Flow>, options?: Options]

/** A run with the output of its flow. */
export type RunOf<Flow> = Plain<Flow> extends FlowName ? Omit<RunView, "output"> & { readonly output?: FlowOutput<Flow> } : RunView
