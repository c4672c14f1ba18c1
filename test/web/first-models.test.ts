// Which models the dialog that connects a provider proposes.

import { expect, test } from "vitest"
import { firstModels } from "../../web/setup/first-models.ts"

test.each([
  [["claude-opus-4-5", "claude-sonnet-4", "claude-sonnet-4-5", "claude-haiku-4-5"], "claude-sonnet-4-5", "claude-haiku-4-5"],
  [["gpt-4o-audio-preview", "gpt-5-mini", "gpt-5", "gpt-4", "text-embedding-3-large", "gpt-image-1"], "gpt-5", "gpt-5-mini"],
  [["gemini-2.5-flash", "gemini-2.5-pro", "gemini-1.5-pro"], "gemini-2.5-pro", "gemini-2.5-flash"],
  [["my-model"], "my-model", "my-model"],
  [["text-embedding-3"], "text-embedding-3", "text-embedding-3"],
] as const)("of %j the newest that writes is the default, and a quick one is fast", (ids, standard, fast) => {
  expect(firstModels(ids)).toEqual({ standard, fast })
})

test("nothing is proposed of an empty list", () => {
  expect(firstModels([])).toBeUndefined()
})
