// Explained: mutants that the simulator does not find, each with why: a second defense ends the harm soon, or nobody of the simulator goes there. The name
// is the mutator's, and a test fails when it has none of that name any more. `equivalent.ts` has those that nobody could tell from the code.

const NO_MCP = "nobody of the simulator connects an MCP server with an account"
const MANY = "a run has more than 200 orphans at once only in `npm run limits:platform`"

export const EXPLAINED: Readonly<Record<string, string>> = {
  "record for write: tenant/tenant-tables.ts: mcp_connection": NO_MCP,
  "an id reused: worker/wire.ts: crypto.randomUUID()": NO_MCP,
  'an alarm deleted while owed: run/run-duties.ts: alarm.want("orphans", Date.now())': MANY,
  'a comparison left out: run/run-signals.ts: not outcome.error.code === "definitions_lost"':
    "the simulator's R2 loses no definition; without the line the answer is another refusal",
  "a wake-up left out: desks/desk.ts: this.#wake(IDLE_MS)":
    "the places of an idle desk count for 33 s more, as those of a desk that died; test/cloudflare/tenant/starts/desks.test.ts has desks that die",
  "an id reused: tenant/keys/key-store.ts: clock.id() (2)":
    "no seed is as long as a day; test/worker/tenant/key-store.test.ts repeats a creation after one",
  "a wake-up left out: tenant/tenancy-room.ts: this.#all.alarm.want(Date.now())":
    "a queued start looks for room again by itself, after 2 s or, if the minute is used up, when it is over",
  "an await moved before a commit: desks/desk.ts: await this.#reporting?.catch(() => undefined)":
    "the tenant counts the place until `#now` of tenant/starts/start-gate.ts drops a run that has not reported for 30 s",
  "an await moved before a commit: run/run-object.ts: await containers.abandon(this.#self.tenant)":
    "nobody of the simulator has a sandbox, and without one there is nothing to wait for",
  "an await moved before a commit: tenant/bodies/body-sweep.ts: await cache?.delete(key)":
    "no seed is as long as the grace of a body; test/cloudflare/tenant/bodies/body-sweep.test.ts has a copy that cannot be deleted",
  "a comparison left out: tenant/starts/start-gate.ts: retry === undefined":
    "no start is lost by it, and the others wait longer [N4]; test/cloudflare/tenant/starts/start-gate.test.ts measures that",
  "a lease not ended: clients/subagents.ts: await giveBack(id)":
    "all models of the simulator have a price; test/cloudflare/clients/subagents.test.ts has one without",
  "an await moved before a commit: tenant/tenant-alarm.ts: await inTime(work, LONGEST_MS, () => this.#outlived(work))":
    "the alarm rings again while the work goes on, which may be done twice, and what the work writes wants its own time",
}
