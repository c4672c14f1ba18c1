// The parameters of `finish`, and what a decision may answer [F17, F20, F51]. Pure.

import type { Json, JsonSchema } from "../json.ts"
import type { OutputSpec } from "./agent.ts"

/** No output may be called like one of these [F51]. */
export const FINISH_FIELDS: readonly string[] = ["status", "summary", "files", "artifacts", "branch", "fullOutput"]

/** Nor, with `finalizer: subagent_finalize`, like one of these. */
export const FINALIZE_FIELDS: readonly string[] = ["result", "error"]

/**
 * What the model is shown. The check that counts asks less of a finish that says `error` or `blocked`: an agent that failed owes
 * neither a branch [F20] nor the outputs it could not make, only `status` and `summary`; what it does give must still fit.
 */
export function finishSchema(outputs: readonly OutputSpec[], branches?: readonly string[]): JsonSchema {
  const properties: Record<string, Json> = {
    status: {
      type: "string",
      enum: ["complete", "error", "blocked"],
      description: "complete when the task is done; error when it failed; blocked when something outside is missing",
    },
    summary: { type: "string", minLength: 1, description: "what was done, or what went wrong, in a few sentences" },
    files: {
      type: "array",
      default: [],
      description: "files that were created, modified or read",
      items: {
        type: "object",
        properties: { path: { type: "string", minLength: 1 }, action: { type: "string", enum: ["created", "modified", "read"] } },
        required: ["path", "action"],
        additionalProperties: false,
      },
    },
    artifacts: { type: "string", description: "structured data for later steps, as text" },
  }
  return closed(properties, ["status", "summary"], outputs, branches, "complete")
}

/**
 * The same for `finalizer: subagent_finalize`, in the words of pi-subagents (B8). That SUCCESS needs a result and ERROR an error
 * is said, not put into the schema: providers differ in what they make of alternatives, and the check that counts is ours.
 */
export function finalizeSchema(outputs: readonly OutputSpec[], branches?: readonly string[]): JsonSchema {
  const properties: Record<string, Json> = {
    status: { type: "string", enum: ["SUCCESS", "ERROR"], description: "SUCCESS when the task is done, ERROR when it could not be" },
    result: { type: "string", description: "the whole answer; required with SUCCESS, with ERROR what there is of it" },
    error: { type: "string", description: "what went wrong; required with ERROR" },
  }
  return closed(properties, ["status"], outputs, branches, "SUCCESS")
}

/** The properties and the outputs and nothing else; a decision has its branch among them [G5]. */
function closed(
  properties: Record<string, Json>,
  required: string[],
  outputs: readonly OutputSpec[],
  branches: readonly string[] | undefined,
  done: string,
): JsonSchema {
  if (branches !== undefined) {
    properties["branch"] = {
      type: "string",
      enum: [...branches],
      description: `the way the flow goes on; required when status is ${done}`,
    }
    required.push("branch")
  }
  for (const output of outputs) {
    properties[output.name] = outputSchema(output)
    if (output.required) required.push(output.name)
  }
  return { type: "object", properties, required, additionalProperties: false }
}

function outputSchema(output: OutputSpec): JsonSchema {
  return {
    type: output.type,
    ...(output.pattern === undefined ? {} : { pattern: output.pattern }),
    description: output.description ?? `output "${output.name}"`,
  }
}
