// Estimates the tokens of a text, or of a tool with its name, description and parameters, in a prompt.

import type { Json } from "../json.ts"

export const toolTokens = (name: string, description: Json | undefined, parameters: Json | undefined): number =>
  Math.ceil((name.length + JSON.stringify(description ?? "").length + JSON.stringify(parameters ?? {}).length) / CHARS_PER_TOKEN)

export const textTokens = (text: string): number => Math.ceil(text.length / CHARS_PER_TOKEN)

const CHARS_PER_TOKEN = 4
