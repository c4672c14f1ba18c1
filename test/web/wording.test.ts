// Short words of the chat and the console.

import { expect, test } from "vitest"
import { dollars, duration, money } from "../../web/chat/wording.ts"

test.each([
  [-3, "0 ms"],
  [0, "0 ms"],
  [80.4, "80 ms"],
  [999.4, "999 ms"],
  [999.6, "1.0 s"],
  [4_249, "4.2 s"],
  [9_949, "9.9 s"],
  [9_950, "0:10"],
  [59_600, "1:00"],
  [321_000, "5:21"],
])("a duration of %s ms reads %s: short ones tell runs of milliseconds apart", (ms, said) => {
  expect(duration(ms)).toBe(said)
})

test.each([
  [3_600_000, "1:00:00"],
  [3_773_000, "1:02:53"],
  [86_400_000 + 7_500_000, "1 d 2:05"],
])("a duration of %s ms has its hours and days: %s", (ms, said) => {
  expect(duration(ms)).toBe(said)
})

test.each([
  [0, "0", "$0"],
  [0.00021, "<0.001", "<$0.001"],
  [0.0034, "0.0034", "$0.0034"],
  [0.021, "0.021", "$0.021"],
  [1.5, "1.50", "$1.50"],
  [250, "250", "$250"],
])("what costs %s reads %s: nothing that costs something is 0.000", (usd, plain, signed) => {
  expect([dollars(usd), money(usd)]).toEqual([plain, signed])
})
