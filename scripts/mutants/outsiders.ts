// Faults in what an outsider says and may set [G11, H1, H4, P2, P3, P9], each with the test that must find it.

import type { Mutant } from "./mutant.ts"

const OUTSIDERS = "http/protocols/outsiders.test.ts"
const ORIGINS = "core/run/session/origins.test.ts"
const GIVEN = "core/run/protocol/given-answers.test.ts"

export const OUTSIDERS_SAY: readonly Mutant[] = [
  {
    name: "P9 a chat token sets files",
    file: "core/run/start-members.ts",
    find: `files: [...KEYS, "delivery", "schedule"],`,
    put: `files: [...KEYS, "chat", "delivery", "schedule"],`,
    test: ["http/protocols/chat-token.test.ts", "[P9] sets nothing of a start but its inputs"],
  },
  {
    name: "P9 the words of a chat token's holder are the tenant's own",
    file: "protocols/shared/take-message.ts",
    find: `if (isStranger(c, "message")) all.push("message")`,
    put: ``,
    test: [OUTSIDERS, "[P9] [G11] speaks from outside"],
  },
  {
    name: "P2 history is trusted text",
    file: "protocols/shared/take-message.ts",
    find: `if (looks && (isMarked || `,
    put: `if (looks && (isMarked && `,
    test: [OUTSIDERS, "[P2] is from outside, unless the answer is known"],
  },
  {
    name: "P2 one known answer vouches for the others",
    file: "protocols/shared/client-history.ts",
    find: `isKnown: entries.every(isGiven)`,
    put: `isKnown: entries.length === 0 || entries.some(isGiven)`,
    test: [OUTSIDERS, "[P2] with one entry that was not given"],
  },
  {
    name: "P2 remember what a marked run said",
    file: "core/run/protocol/given-answers.ts",
    find: `if (run.marked === true || run.origins !== undefined)`,
    put: `if (run.origins !== undefined)`,
    test: [GIVEN, "only that its thread is marked"],
  },
  {
    name: "P3 the names of attachments are part of a trusted task",
    file: "core/run/session/taint.ts",
    find: `...(run.tainted || names || taken`,
    put: `...(run.tainted || taken`,
    test: [ORIGINS, "[P3] with attachments marks what uses its task"],
  },
  {
    name: "H1 an answer of a token's holder is the tenant's own",
    file: "core/run/session/taint.ts",
    find: `outside === true && says(body)`,
    put: `outside !== true && says(body)`,
    test: [ORIGINS, "of a token's holder marks the session that asked"],
  },
  {
    name: "H1 a route needs one of its scopes",
    file: "http/middleware/door.ts",
    find: `if (lacking) return lacking\n    }`,
    put: `}`,
    test: ["http/middleware/door.test.ts", "[H1] every route refuses a key that has all scopes"],
  },
  {
    name: "H4 keep a refusal for a day",
    file: "http/middleware/idempotency.ts",
    find: `if (answer.status >= 400) return null`,
    put: `if (answer.status >= 500) return null`,
    test: ["http/middleware/idempotency.test.ts", "[H4] a refusal is not stored"],
  },
]
