// Faults in the sessions of people [O13–O15], and in the meter of command lines [T20]: what a moment must not change.

import type { Mutant } from "./mutant.ts"

const CACHE = "cloudflare/clients/session-cache.test.ts"
const KV = "no session is lost, and none opens 5 s after its end, whatever KV serves"

export const SESSIONS: readonly Mutant[] = [
  {
    name: "O14 believe an answer from before a sign-in elsewhere",
    file: "cloudflare/clients/cache/sign-in-cache.ts",
    find: `const holding = wasAsked ? undefined : await room.find(digest)`,
    put: `const holding = holder !== undefined ? undefined : await room.find(digest)`,
    test: [CACHE, "[O14] a session that was opened elsewhere a moment after"],
  },
  {
    name: "O15 keep a session that was ended here until its holder is asked again",
    file: "cloudflare/clients/cache/sign-in-cache.ts",
    find: `    if (holder !== undefined) this.forget(tenant, holder)\n    else this.forget(tenant)\n`,
    put: ``,
    test: [CACHE, KV],
  },
  {
    name: "O13 sign people out where KV is down",
    file: "cloudflare/clients/session-rows.ts",
    find: `    } catch {\n      return undefined\n    }`,
    put: `    } catch (e) {\n      throw e\n    }`,
    test: [CACHE, KV],
  },
  {
    name: "T20 count a stretch from where the line did rest",
    file: "tools/shell/shell-meter.ts",
    find: `this.#stretch = mark < 0 ? this.#stretch + used : mark - left`,
    put: `this.#stretch = this.#unrested`,
    test: ["tools/shell/attacks.test.ts", "[T20] a busy machine changes no answer"],
  },
]
