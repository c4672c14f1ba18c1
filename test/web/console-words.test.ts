// The server's sentences as the console says them: no method, no address, and the page that mends the fault.

import { expect, test } from "vitest"
import { consoleWords, placeWords } from "../../web/faults/console-words.ts"

test.each([
  [
    "is not a scope of the vault: write it first with PUT /v1/secrets/{scope}",
    "Is not a scope of the vault: write it first under Settings, Secrets.",
    "secrets",
  ],
  ['the provider "mok" is not set: PUT /v1/settings/providers/mok', 'The provider "mok" is not set. See Settings, Models.', "providers"],
  [
    "step a would be left without it. Change them first, or remove it with ?force=1.",
    "Step a would be left without it. Change them first, or remove it anyway.",
    undefined,
  ],
  [
    "Fix it, or change its tests too; an admin may write with ?force=1.",
    "Fix it, or change its tests too; an admin may save anyway.",
    undefined,
  ],
  [
    'charge needs the secret "pay", which has no value (PUT /v1/secrets/pay).',
    'Charge needs the secret "pay", which has no value under Settings, Secrets.',
    "secrets",
  ],
  [
    "set prices with PUT /v1/settings/prices, or choose other models.",
    "Set prices under Settings, Prices, or choose other models.",
    "prices",
  ],
  ["The rows are away.", "The rows are away.", undefined],
] as const)("%s", (message, words, section) => {
  const said = consoleWords(message)
  expect(said.words).toBe(words)
  expect(said.mend?.place.at(-1)).toBe(section)
})

test("a place in a body is said in words", () => {
  expect(placeWords("/flows/0/match")).toBe("flows 1, match")
  expect(placeWords("/a~1b")).toBe("a/b")
})
