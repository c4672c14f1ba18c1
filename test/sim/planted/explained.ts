// Explained: mutants that the simulator does not find, each with why: a second defense ends the harm soon, or nobody of the simulator goes there. The name
// is the mutator's, and a test fails when it has none of that name any more. `equivalent.ts` has those that nobody could tell from the code.

const NO_MCP = "nobody of the simulator connects an MCP server with an account"
const MANY = "a run has more than 200 orphans at once only in `npm run limits:platform`"
const NO_JUDGES = "no scorer of the simulator has a judge; test/worker/run/scores.test.ts has one"
const RINGS_SOON = "a message is on its way, or was lost, whose alarm rings within 10 s: each part of the run says its own time again then"

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
  "a lease not ended: tenant/quality/scorings.ts: store.end(row)":
    "no score of the simulator is tried in vain as often as that it is given up",
  'a comparison left out: tenant/quality/scorings.ts: again.state === "scored"': NO_JUDGES,
  'a key not sent again: tenant/tenant-work.ts: derivedId(`${tenant}/judge`, of.join(" "))': NO_JUDGES,
  'an id reused: tenant/tenant-work.ts: derivedId(`${tenant}/judge`, of.join(" "))': NO_JUDGES,
  "an id reused: run/scoring/run-scoring.ts: crypto.randomUUID()": NO_JUDGES,
  "an id reused: clients/cache/model-pacing.ts: crypto.randomUUID()":
    "no provider of the simulator has limits that a tenant's calls share; test/core/pacing has several isolates",
  "an id reused: clients/choose-in-turn.ts: clock.id()":
    "only trials of a model and live backtests call a model so, and nobody of the simulator makes one",
  "an id reused: tenant/tenant-stores.ts: clock.id()":
    "a listener comes back within seconds of the object's death, when the new life has told fewer events than the old one: that is a gap too",
  "a lease not ended: tenant/tenancy-room.ts: line.forget()":
    "the next tenant's line goes on by the old one's clock, which is ahead after a step back: all of its times are ahead alike",
  "a lease not ended: run/run-object.ts: bytes.forget()":
    "nobody of the simulator compares a run's bytes; test/cloudflare/run/run-bytes.test.ts has the next run of an object",
  "a comparison left out: run/run-object.ts: asked.held === true":
    "a start with a priority alone is told to the tenant a second later, and until then its promise is in the list",
  "an await moved before a commit: tenant/tenancy-room.ts: await desks.flush()":
    "a run that its desk had not reported reports itself, hears that its tenant is gone, and goes",
  "an alarm deleted while owed: run/run-duties.ts: alarm.settle()": RINGS_SOON,
  "an alarm deleted while owed: run/run-duties.ts: alarm.drop(BELOW)": RINGS_SOON,
  "an await moved before a commit: run/awake-run.ts: await this.#resources.alarm.look()":
    "the answer is there long before the definitions are loaded, and nothing sets an alarm before they are",
  "an await moved before a commit: run/leaving/run-retention.ts: await alarm.look()":
    "a record is kept in the life of the object that took its request: only one that dies in between has an earlier alarm",
  "an id reused: desks/desk-deps.ts: clock.id()":
    "what a desk that died had not reported counts again when its runs report, a moment later; test/cloudflare/tenant/starts/desks.test.ts has desks that die",
  "a comparison left out: tenant/hooks/deliveries.ts: store.waitingFor(run) !== undefined":
    "the one request that waited for the start is told to ask again, and its next try is answered as it should be",
  "a lease not ended: tenant/catalog/tool-store.ts: this.#forget() (3)":
    "no agent of the simulator has a tool that somebody deletes; test/worker/tenant/catalog/project-tools.test.ts deletes one",
  'a wake-up left out: tenant/starts/line-looks.ts: store.wake(thingsOf("t", keyName(before.throttle)))':
    "nobody of the simulator changes the block of a flow whose starts wait",
}
