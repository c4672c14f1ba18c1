// Faults between objects, on the tenant's side: rows that others rely on, names that come back, claims, slices, queues, lists.

import type { Mutant } from "./mutant.ts"

const TENANT = "cloudflare/tenant"
const FIRST = `${TENANT}/catalog/first-write.test.ts`
const QUEUE = `${TENANT}/starts/waits-for-room.test.ts`
const SWEEP = `${TENANT}/run-list/retention-sweep.test.ts`
const DELIVERIES = `${TENANT}/hooks/deliveries.test.ts`

export const SHELL_TENANT: readonly Mutant[] = [
  {
    name: "F79 make the tables again inside the first write",
    file: `${TENANT}/tenant-sql.ts`,
    find: `        this.#isThere = true\n        return work()`,
    put: `        const done = work()\n        this.#isThere = true\n        return done`,
    test: [FIRST, "[F79] the first write brings"],
  },
  {
    name: "N3 let anyone begin the storage of a deleted tenant",
    file: `${TENANT}/tenant-sql.ts`,
    find: `if (!isThere && !this.#mayBegin()) throw noTenant()`,
    put: ``,
    test: [FIRST, "[N3] after a deletion nothing can be written"],
  },
  {
    name: "N3 keep a desk's late report of a deleted tenant",
    file: "cloudflare/desks/desk-leases.ts",
    find: `    if (this.#deps.account.since() === undefined) return { recalled: lease }\n`,
    put: ``,
    test: [`${TENANT}/starts/desk-reports.test.ts`, "[N3] a desk that reports to a deleted tenant"],
  },
  {
    name: "N3 list runs of the tenant that had the name before",
    file: "cloudflare/desks/desk-leases.ts",
    find: `if (!account.isGone(row)) this.#deps.promises.add(row)`,
    put: `this.#deps.promises.add(row)`,
    test: [`${TENANT}/starts/desk-reports.test.ts`, "[N3] a desk that reports to the next tenant"],
  },
  {
    name: "N3 go on with a deletion by the name alone",
    file: `${TENANT}/tenancy-room.ts`,
    find: `if (!account.isOf(created)) return { done: true, deleted: NOTHING }`,
    put: ``,
    test: ["worker/tenant/tenants.test.ts", "[N3] the deletion of a tenant leaves the next one"],
  },
  {
    name: "H6 give a queued run up although a delivery owes it",
    file: `${TENANT}/starts/start-words.ts`,
    find: ` && !isOwed(run)) this`,
    put: `) this`,
    test: [QUEUE, "[H6] [W3] a start that is stored late"],
  },
  {
    name: "H6 forget a held start whose row is gone",
    file: `${TENANT}/starts/start-line.ts`,
    find: `    let row = store.find(ask.run) ?? this.#arrivals.insert(ask)\n`,
    put: `    let row = store.find(ask.run)\n    if (!row) return undefined\n`,
    test: [QUEUE, "[H6] [W3] a start that is stored late"],
  },
  {
    name: "H6 give a run that has ended a place",
    file: `${TENANT}/starts/start-line.ts`,
    find: `if (isKeyless(blockOf(row)) && row.body.window === undefined) store.remove(run)`,
    put: `if (isKeyless(blockOf(row)) && row.state === STATE.begun) store.remove(run)`,
    test: [QUEUE, "[H6] a row whose run has begun by another way"],
  },
  {
    name: "H6 let one silent object hold up the line",
    file: `${TENANT}/starts/start-words.ts`,
    find: `return inTime(this.#deps.tell(run, word), ANSWER_MS, () => silent(run))`,
    put: `return this.#deps.tell(run, word)`,
    test: [QUEUE, "[H6] [J12] an object that does not answer"],
  },
  {
    name: "P7 keep a claim whose run never came",
    file: `${TENANT}/sessions/thread-store.ts`,
    find: `(age >= 0 && age < LOST_MS)`,
    put: `age < KEPT_MS`,
    test: [`${TENANT}/sessions/thread-store.test.ts`, "[P7] a claim whose run never came"],
  },
  {
    name: "P7 go by the clocks of runs",
    file: `${TENANT}/sessions/thread-store.ts`,
    find: `    if (listed.id === claim.after) return claim.run\n`,
    put: ``,
    test: [`${TENANT}/sessions/thread-store.test.ts`, "[P7] the clocks of runs"],
  },
  {
    name: "B4 grant a slice to a run that has ended",
    file: `${TENANT}/budget/budget-store.ts`,
    find: `if (isOver) return leaseOf({}, day, null)`,
    put: ``,
    test: [`${TENANT}/budget/budget-store.test.ts`, "[B4] a slice that is asked for"],
  },
  {
    name: "B4 give back only of the day that the run knows",
    file: `${TENANT}/budget/budget-store.ts`,
    find: `day < last ? taken`,
    put: `day !== last ? taken`,
    test: [`${TENANT}/budget/budget-store.test.ts`, "[B4] of a day that began"],
  },
  {
    name: "H6 write the place of a sweep over a newer one",
    file: `${TENANT}/run-list/sweep-store.ts`,
    find: `"UPDATE retention_sweep SET at = ? WHERE name = ?", at, name)`,
    put: `"UPDATE retention_sweep SET at = ? WHERE name IS NOT ?", at, "")`,
    test: [SWEEP, "[H6] a retention that is shortened again"],
  },
  {
    name: "J12 stop a sweep at the first run that fails",
    file: `${TENANT}/run-list/retention-sweep.ts`,
    find: `    const failed = await failedOf(ids, notify)\n`,
    put: `    for (const id of ids) await notify(id)\n    const failed: { item: string }[] = []\n`,
    test: [SWEEP, "[H6] [J12] runs that never answer"],
  },
  {
    name: "F71 recall the desks when a key is used",
    file: `${TENANT}/tenant-tables.ts`,
    find: `RECORDS[table] === undefined`,
    put: `(table === "key_use" || RECORDS[table] === undefined)`,
    test: [`${TENANT}/tenant-tables.test.ts`, "[F71] [H1] a key's use"],
  },
  {
    name: "S18 take an answer of the future for a young one",
    file: "cloudflare/platform/recent-answers.ts",
    find: `now >= at && now - at < this.#ms`,
    put: `now - at < this.#ms`,
    test: ["cloudflare/platform/recent-answers.test.ts", "[H1] [S18] an answer of the future"],
  },
  {
    name: "H5 move a run in the list when it reports",
    file: `${TENANT}/run-list/run-index.ts`,
    find: `DO UPDATE SET flow = excluded.flow`,
    put: `DO UPDATE SET created = excluded.created, flow = excluded.flow`,
    test: [`${TENANT}/run-pages.test.ts`, "[H5] pages lose and repeat no run"],
  },
  {
    name: "W3 hold a mended filter back by what it held back before",
    file: `${TENANT}/hooks/delivery-store.ts`,
    find: `seen.run === null && what.verdict !== "filtered"`,
    put: `seen.run === "" && what.verdict !== "filtered"`,
    test: [DELIVERIES, "[W3] what an earlier filter held back"],
  },
  {
    name: "W3 begin the runs of all deliveries at once",
    file: `${TENANT}/hooks/deliveries.ts`,
    find: `new Places(BEGUN_AT_ONCE)`,
    put: `new Places(1e6)`,
    test: [DELIVERIES, "[W3] a delivery is answered before its run begins"],
  },
  {
    name: "W8 call a run failed that was started",
    file: `${TENANT}/starts/launch.ts`,
    find: `(await recordFailure(deps, wish, launched.why)) ? launched : undefined`,
    put: `(await recordFailure(deps, wish, launched.why)) || true ? launched : undefined`,
    test: [DELIVERIES, "[W3] [W8] a start whose answer was lost"],
  },
  {
    name: "J12 wait for a time of before the clock was set back",
    file: `${TENANT}/schedules/schedule-store.ts`,
    find: `due !== null && next !== null && due < next`,
    put: `due !== null && next !== null && due > next`,
    test: [`${TENANT}/clock-back.test.ts`, "[W5] [J12] a schedule fires"],
  },
]
