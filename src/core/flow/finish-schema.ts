// Builds the parameters of `finish`, and the branches that a decision can choose [F17, F20, F51].

import { defined } from "../defined.ts"
import type { Json, JsonSchema } from "../json.ts"
import type { OutputSpec } from "./agent.ts"
import type { FinishChoice } from "./flow.ts"

/** Output names that are reserved [F51]. */
export const FINISH_FIELDS: readonly string[] = ["status", "summary", "files", "artifacts", "branch", "fullOutput"]

/** Output names that are also reserved with `finalizer: subagent_finalize`. */
export const FINALIZE_FIELDS: readonly string[] = ["result", "error"]

/**
 * The schema that is sent to the model. The final check requires less of a finish with `error` or `blocked`: an agent that failed needs
 * neither a branch [F20] nor its outputs, only `status` and `summary`. The values it does give must still match the schema.
 */
export function finishSchema(outputs: readonly OutputSpec[], choice?: FinishChoice): JsonSchema {
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
  return closed(properties, ["status", "summary"], outputs, choice, "complete")
}

/**
 * The same for `finalizer: subagent_finalize`, with the wording of pi-subagents (B8). The descriptions, not the schema, say that
 * SUCCESS needs a result and ERROR needs an error: providers treat alternatives differently, and the final check is ours.
 */
export function finalizeSchema(outputs: readonly OutputSpec[], choice?: FinishChoice): JsonSchema {
  const properties: Record<string, Json> = {
    status: { type: "string", enum: ["SUCCESS", "ERROR"], description: "SUCCESS when the task is done, ERROR when it could not be" },
    result: { type: "string", description: "the whole answer; required with SUCCESS, with ERROR what there is of it" },
    error: { type: "string", description: "what went wrong; required with ERROR" },
  }
  return closed(properties, ["status"], outputs, choice, "SUCCESS")
}

/** Exactly the properties and the outputs, plus the branch of a decision [G5]. */
function closed(
  properties: Record<string, Json>,
  required: string[],
  outputs: readonly OutputSpec[],
  choice: FinishChoice | undefined,
  done: string,
): JsonSchema {
  if (choice !== undefined) {
    const one = { type: "string", enum: [...choice.labels] }
    properties["branch"] = choice.several
      ? { type: "array", items: one, minItems: 1, description: `every way that the flow goes on; required when status is ${done}` }
      : { ...one, description: `the way the flow goes on; required when status is ${done}` }
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
    ...defined({ pattern: output.pattern, enum: output.enum && [...output.enum] }),
    description: output.description ?? `output "${output.name}"`,
  }
}
