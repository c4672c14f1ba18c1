// Explained: mutants that no law can find, each with why: there is a second defense, it only costs more, or nobody of the simulator goes there. The name
// is the mutator's, and a test fails when it has none of that name any more.

const META = "each write of a catalog also writes `meta` in the same commit, which recalls the desks"
const NO_MCP = "nobody of the simulator registers or connects an MCP server"
const KEYED = "whoever asks has a key: the port of the room chooses one for a caller without"
const MANY = "a run has more than 200 orphans at once only in `npm run limits:platform`"

const NO_CHANGE =
  "nobody of the simulator changes one while desks have leases; test/cloudflare/tenant/tenant-tables.test.ts names the table"
const NO_COURIER = "the simulator's objects have no couriers; test/cloudflare/outgoing/connections.test.ts has an answer that ends so"
const LANES = "`rest` of run/leaving/run-retention.ts asks for the same time; nobody of the simulator has a collector of traces"
const SWEPT = "the work is done from the alarm alone, and `ring` or `#outlived` of tenant/tenant-alarm.ts settles it after the work"

export const EXPLAINED: Readonly<Record<string, string>> = {
  "record for write: tenant/tenant-tables.ts: revision": META,
  "record for write: tenant/tenant-tables.ts: revision_forced": META,
  "record for write: tenant/tenant-tables.ts: file": META,
  "record for write: tenant/tenant-tables.ts: made_by_file": "its rows change in one commit with those of `tool`, which recall the desks",
  "record for write: tenant/tenant-tables.ts: mcp_server": NO_MCP,
  "record for write: tenant/tenant-tables.ts: mcp_connection": NO_MCP,
  "an id reused: worker/wire.ts: crypto.randomUUID()": NO_MCP,
  "an id reused: worker/wire.ts: crypto.randomUUID() (2)": "whoever calls an agent outside of a flow sends a key in the simulator",
  "an id reused: tenant/callbacks/callback-room.ts: clock.id()": KEYED,
  "an id reused: tenant/schedules/schedule-room.ts: clock.id()": KEYED,
  "an id reused: tenant/schedules/schedules.ts: clock.id()": "whoever fires a schedule sends a key in the simulator",
  'a key not sent again: clients/tenants.ts: derivedId("", key)': "no operator of the simulator sends a key with a tenant",
  'an alarm deleted while owed: run/run-duties.ts: alarm.want("orphans", Date.now())': MANY,
  'a comparison left out: tenant/callbacks/callback-store.ts: r.payload !== "thin"': "no receiver of the simulator asks for thin messages",
  "a comparison left out: tenant/run-list/run-filter.ts: not query.tag !== undefined": "nobody of the simulator lists runs by a tag",
  'a comparison left out: run/run-signals.ts: not outcome.error.code === "definitions_lost"':
    "the simulator's R2 loses no definition; without the line the answer is another refusal",
  "a comparison left out: clients/start-refusals.ts: wait > 0": "a pause of no time is no pause",
  "a lease not ended: outgoing/carried-answer.ts: end() (4)": NO_COURIER,
  "a lease not ended: outgoing/carried-answer.ts: end() (6)": NO_COURIER,
  "an id reused: tenant/tenant-stores.ts: clock.id()":
    "nobody of the simulator follows the stream; test/worker/http/feed.test.ts follows it over a death of the tenant's object",
  "an alarm deleted while owed: platform/invocation.ts: this.#alarm.want(Date.now())":
    "the simulator counts no calls of an invocation; test/cloudflare/platform/invocation.test.ts does",
  "a lease not ended: tenant/keys/key-room.ts: signIns.forget(id)":
    "a session asks for its key each time (`known` of tenant/keys/key-store.ts), and its row goes when it is over; nobody of the simulator signs in",
  "an await moved before a commit: desks/desk.ts: await this.#reporting?.catch(() => undefined)":
    "the tenant counts the place until `#now` of tenant/starts/start-gate.ts drops a run that has not reported for 30 s",
  "an alarm deleted while owed: run/run-duties.ts: alarm.want(lane, due)": LANES,
  "a wake-up left out: run/run-duties.ts: alarm.want(lane, due)": LANES,
  "record for write: tenant/tenant-tables.ts: stored_setting": NO_CHANGE,
  "record for write: tenant/tenant-tables.ts: provider": NO_CHANGE,
  "record for write: tenant/tenant-tables.ts: named_item":
    "no file of the simulator's catalog is a hook or a schedule; each write of a catalog also writes `meta`",
  "a comparison left out: tenant/keys/key-store.ts: created !== undefined":
    "without a row the comparison after it is false: undefined and a day is no time",
  'a lease not ended: run/held-start.ts: this.#resources.alarm.drop("held start")': "the alarm rings once in vain",
  "an await moved before a commit: run/run-object.ts: await containers.abandon(this.#self.tenant)":
    "nobody of the simulator has a sandbox, and without one there is nothing to wait for",
  "a comparison left out: run/family/family-pause.ts: word !== this.#word": "the children are told the same again, which changes nothing",
  "an await moved before a commit: tenant/bodies/body-sweep.ts: await cache?.delete(key)":
    "no seed is as long as the grace of a body; test/cloudflare/tenant/bodies/body-sweep.test.ts has a copy that cannot be deleted",
  "a lease not ended: tenant/run-list/run-list-room.ts: this.#all.threads.release(flow, thread, run)":
    "`#claim` of tenant/sessions/thread-store.ts forgets a claim whose run is not in the list after a minute",
  "a comparison left out: tenant/starts/start-gate.ts: retry === undefined":
    "no start is lost by it, and the others wait longer [N4]; test/cloudflare/tenant/starts/start-gate.test.ts measures that",
  "a wake-up left out: tenant/starts/start-gate.ts: this.#waiters.wake()":
    "a start that waits for a place looks again after 250 ms by itself",
  "a wake-up left out: tenant/run-list/retention-sweep.ts: this.#want() (2)": SWEPT,
  "a wake-up left out: tenant/run-list/retention-sweep.ts: this.#deps.want(due)": SWEPT,
  'an alarm deleted while owed: run/leaving/run-leaving.ts: this.#resources.alarm.watch("deletion")':
    "`goOn` watches the same in the same turn, before anything is waited for",
  "a lease not ended: run/fork/run-adoption.ts: this.#self.drop()":
    "`#stored` of run/awake-run.ts drops a conductor whose start is not in the journal when anybody looks",
  "a comparison left out: run/awake-run.ts: Object.keys(conductor.run.underway).length > 0":
    "a run that is over has nothing that `tick` could do, unless effects are under way",
  "a lease not ended: run/run-start.ts: this.#self.drop()":
    "`#stored` of run/awake-run.ts saves such a start when anybody looks, or drops it",
  "a comparison left out: tenant/tenant-stores.ts: account.graveUntil() === undefined":
    "what comes late asks `isGone` of tenant/account-store.ts before it writes; test/cloudflare/tenant/late-writes.test.ts does not ask",
  "a lease not ended: clients/subagents.ts: await giveBack(id)":
    "all models of the simulator have a price; test/cloudflare/clients/subagents.test.ts has one without",
  "a lease not ended: tenant/catalog/tool-store.ts: this.#forget() (3)":
    "nobody of the simulator unregisters a tool; test/cloudflare/tenant/catalog/tool-store.test.ts does",
  "an await moved before a commit: tenant/tenancy-room.ts: await storage.deleteAll()":
    "SQLite is empty at once, and a deletion that does not become durable aborts the object with all that followed",
  'an alarm deleted while owed: run/run-object.ts: alarm.drop("watchdog")':
    "`#ring` asks the others for their times again: `isOver` of run/leaving/run-retention.ts, `goOn` of run/leaving/run-leaving.ts, the conductor's `tick`",
}
