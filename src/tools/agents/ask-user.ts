// ask_user: asks a person a question. It is never executed: the kernel turns an admitted call into an interaction, and the answer comes
// back as the call's result, `{answer}` as JSON text [Q1, Q2]. Refused in an autonomous run [G4].

import type { ToolSpec } from "../../core/tool/tool-spec.ts"

export const askUser: ToolSpec = {
  name: "ask_user",
  label: "Ask",
  description:
    'Ask the user one question and wait for the answer: free text (input), one of several options (select), or yes or no (confirm). Answers {"answer": …}.',
  parameters: {
    type: "object",
    properties: {
      question: {
        type: "string",
        minLength: 1,
        maxLength: 10_000,
        description: "The question, with what the user must know to answer it.",
      },
      type: {
        type: "string",
        enum: ["input", "select", "confirm"],
        description: "input: free text; select: one of options; confirm: yes or no.",
      },
      options: {
        type: "array",
        items: { type: "string", minLength: 1, maxLength: 1_000 },
        minItems: 1,
        maxItems: 100,
        uniqueItems: true,
        description: "The choices of a select.",
      },
      multiSelect: { type: "boolean", description: "select only: several options may be chosen; the answer is a list." },
      allowCustom: { type: "boolean", description: "select only: the user may describe something else in their own words." },
      defaultValue: { type: "string", maxLength: 10_000, description: "input only: the initial text." },
    },
    required: ["question", "type"],
    additionalProperties: false,
  },
  effect: "none",
  contexts: ["main", "agent", "architect"],
}
