// Estimates how many tokens a text takes in a prompt, and a tool: its name, its description and its parameters.

import type { Json } from "../json.ts"

export const toolTokens = (name: string, description: Json | undefined, parameters: Json | undefined): number =>
  Math.ceil((name.length + JSON.stringify(description ?? "").length + JSON.stringify(parameters ?? {}).length) / CHARS_PER_TOKEN)

export const textTokens = (text: string): number => Math.ceil(text.length / CHARS_PER_TOKEN)

const CHARS_PER_TOKEN = 4
