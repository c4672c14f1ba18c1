// Faults in the deletion of bodies [F71]: one goes while it has an owner, or stays after the last owner is gone.

import type { Mutant } from "./mutant.ts"

const SWEEP = "cloudflare/tenant/bodies/body-sweep.test.ts"
const RANDOM = "[F71] random owners"
const WIPED = "cloudflare/tenant/wiped-rows.test.ts"

export const BODIES: readonly Mutant[] = [
  {
    name: "F71 delete a body that another run owns",
    file: "cloudflare/tenant/bodies/body-store.ts",
    find: `["SELECT hash FROM body_owner", ...named]`,
    put: `[...named]`,
    test: [SWEEP, RANDOM],
  },
  {
    name: "F71 delete a body that a session owns",
    file: "cloudflare/tenant/bodies/body-store.ts",
    find: `["SELECT hash FROM body_owner", ...named]`,
    put: `["SELECT hash FROM body_owner"]`,
    test: [SWEEP, RANDOM],
  },
  {
    name: "F71 use an old body anew without holding it",
    file: "cloudflare/blobs/blobs-r2.ts",
    find: `if (before) await retain(hash)`,
    put: ``,
    test: [SWEEP, "[F71] who puts a body at the moment"],
  },
  {
    name: "F71 delete a body that was put anew",
    file: "cloudflare/tenant/bodies/body-sweep.ts",
    find: `if (young > now()) return store.postpone([hash], young)`,
    put: ``,
    test: [SWEEP, "[J10] a sweep that was interrupted"],
  },
  {
    name: "F71 take a late alarm for one in time",
    file: "cloudflare/tenant/bodies/body-sweep.ts",
    find: `if (late.length > 0) return store.postpone(hashesOf(late), now + LATE_MS)`,
    put: ``,
    test: [SWEEP, "[F71] a sweep that comes late lets runs report first"],
  },
  {
    name: "F71 delete a definition as content",
    file: "cloudflare/tenant/bodies/body-sweep.ts",
    find: `if (there === null || kindOf(there) === "definition")`,
    put: `if (there === null)`,
    test: [SWEEP, "[F71] a body that is a definition too"],
  },
  {
    name: "H5 leave the files of a deleted run in R2",
    file: "cloudflare/tenant/run-list/run-list-room.ts",
    find: `this.#all.bodies.gone(id, last?.bodies)`,
    put: ``,
    test: ["worker/run/delete-run.test.ts", "[H5] [F71] takes its files out of R2"],
  },
  {
    name: "H5 leave the text of a deleted run in its object",
    file: "cloudflare/run/leaving/run-erasure.ts",
    find: `const gone = storage.deleteAll()`,
    put: `const gone = Promise.resolve()
  for (const { name } of storage.sql.exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\\\_%' ESCAPE '\\\\'").toArray()) storage.sql.exec(\`DELETE FROM "\${name}"\`)`,
    test: ["worker/run/delete-run.test.ts", "[H4] still answers its Idempotency-Key"],
  },
  {
    name: "H5 leave a deleted run's task in the tenant's pages",
    file: "cloudflare/tenant/run-list/run-index.ts",
    find: `      wipeView(sql, id)
      sql.exec("DELETE`,
    put: `      sql.exec("DELETE`,
    test: [WIPED, "[H5] a deleted run's task and error"],
  },
]
