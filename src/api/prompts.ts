// Declares the route that shows the prompt of a model's turn [J21].

import type { Parameter, Routes } from "./route/route.ts"

const whole = (description: string, minimum: number): Parameter => ({
  description,
  schema: { type: "integer", minimum, maximum: 1_000_000 },
})

export const prompts = {
  getStepPrompt: {
    method: "GET",
    path: "/v1/runs/:run/steps/:step/prompt",
    scope: "runs:read",
    tag: "Runs",
    summary: "Read the prompt of a model's turn, in layers",
    description:
      "Tools, system prompt and conversation in the order in which they were sent, each with its characters, its share of the tokens that the provider reported, and how many of these came from its cache. The text of a layer comes with `layer`. A step without a model call has no prompt: 404.",
    query: {
      pass: whole("The pass of the step; by default the newest.", 1),
      turn: whole("The turn, from 0; by default the newest.", 0),
      layer: whole("The index of a layer in `layers`, from 0, whose text is returned.", 0),
    },
    answers: { 200: { description: "The layers.", body: "StepPrompt" } },
    problems: [],
  },
} as const satisfies Routes
