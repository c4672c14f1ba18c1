// An id that begins with "-" is an argument of its command.

import { expect, test } from "vitest"
import { withDashedId } from "../../cli/dashed-id.ts"

const ID = "-fAo4Q2m7Zk3pXw9R1sT5uVbGVmYXVsdABtYXJr"

test("[W1] a hook's id that begins with a dash is taken as an argument, wherever it stands", () => {
  expect(withDashedId(["hooks", "show", ID, "--json"])).toEqual(["hooks", "show", "--json", "--", ID])
  expect(withDashedId(["hooks", "test", "--json", `-${ID}`, "-f", "x"])).toEqual(["hooks", "test", "--json", "-f", "x", "--", `-${ID}`])
})

test("[W1] values of options, short options and what follows -- are left as they are", () => {
  for (const argv of [
    ["hooks", "show", "--key", ID],
    ["hooks", "test", "hk", "-f", "a.json"],
    ["hooks", "show", "--", ID],
    ["help", "hooks"],
  ])
    expect(withDashedId(argv)).toEqual(argv)
})
