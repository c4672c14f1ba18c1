// Checks the script that finds rules without a test.

import { describe, expect, test } from "vitest"
import { readRules, rulesNamed } from "../../scripts/rules.ts"

describe("scripts/rules.ts", () => {
  test("reads each rule of a list, and the issue that a waiting rule waits for", () => {
    const spec =
      "# Rules\n\n- **[F1] Reading.** Text with [F9] in it.\n- **[F1b] Its part.** More.\n- **[G3] After finish** more.\n- **[Q3] Approvals.** *(later: issue 4)* Text.\n  Later: issue 4: a part.\n"
    expect(readRules(spec)).toEqual([
      { id: "F1", title: "Reading." },
      { id: "F1b", title: "Its part." },
      { id: "G3", title: "After finish" },
      { id: "Q3", title: "Approvals.", later: "4" },
    ])
  })

  test("finds rules at the start of test names and in the judge's cases, and no others", () => {
    const source =
      'test("[F12] a skipped step still unblocks", …)\ntest.each(x)(`[F10, F15b] …`)\n{ rule: "F23i", name: "…" }\n// see [F99]\nconst list = [A1]'
    expect(rulesNamed(source)).toEqual(["F12", "F10", "F15b", "F23i"])
  })
})
