// `sluice`: the typed client.

export { Paged } from "../src/client/transport/paged.ts"
export { Sluice } from "../src/client/sluice.ts"
export { SluiceError } from "../src/client/transport/sluice-error.ts"
export type { Asked } from "../src/api/doc/run/interactions.doc.ts"
export type { RunRow, Started } from "../src/api/doc/run/runs.doc.ts"
export type { Bundle } from "../src/api/catalog.ts"
export type { AnswerInput } from "../src/api/run/interactions.ts"
export type { Start } from "../src/api/run/runs.ts"
export type { StartedRun } from "../src/client/flows.ts"
export type { Follow } from "../src/client/follow.ts"
export type { Frame } from "../src/client/frame.ts"
export type { RunFilter } from "../src/client/runs.ts"
export type { Fault } from "../src/client/transport/sluice-error.ts"
export type { Options } from "../src/client/transport/transport.ts"
export type { RunEvent } from "../src/core/run/event.ts"
export type { InteractionView, RunView } from "../src/core/run/views/view.ts"
export type {
  AgentInput,
  AgentName,
  AgentOutput,
  FlowInput,
  FlowName,
  FlowOutput,
  CodeHandler as Handler,
  HandlerInput,
  HandlerName,
  HandlerOutput,
  Register,
  RunOf,
  StartOf,
  ToolArgs,
  ToolName,
} from "../src/client/register.ts"
export type { HandlerContext } from "../src/client/handler-context.ts"
