// Short words of the chat and the console.

import { expect, test } from "vitest"
import { duration } from "../../web/chat/wording.ts"

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
