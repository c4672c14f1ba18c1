// Faults in what files of other programs may grant [F53], each with the test that must find it.

import type { Mutant } from "./mutant.ts"

const POWERS = "engine/import/powers.test.ts"

export const IMPORTS: readonly Mutant[] = [
  {
    name: "F53 a line of tools that cannot be read grants all",
    file: "engine/import/adapt-tools.ts",
    find: `if (granted === undefined) unread ??= line`,
    put: ``,
    test: [POWERS, "[F53] what is denied stays denied: a mode nobody knows"],
  },
  {
    name: "F53 only a head's own fields say what its agent may",
    file: "engine/import/loose-head.ts",
    find: `return [...own, ...inside, `,
    put: `return [...own, `,
    test: [POWERS, "[F53] a line of tools is never lost: below other data"],
  },
  {
    name: "F53 of two files of one name the first is taken",
    file: "engine/import/precedence.ts",
    find: `    .sort((a, b) => a.place - b.place || a.width - b.width)\n`,
    put: ``,
    test: [POWERS, "does not displace the repository's own agent: .agents"],
  },
  {
    name: "F53 copies for other programs are read first",
    file: "engine/import/precedence.ts",
    find: `    .sort((a, b) => a.place - b.place)\n`,
    put: ``,
    test: [POWERS, "copies that fill an import leave the room"],
  },
]
