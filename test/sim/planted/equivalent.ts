// Equivalent: mutants that nobody could tell from the service as it is, each with why. The draw leaves them out and takes the next ones. The name is the
// mutator's, and a test fails when it has none of that name any more.

const META = "each write of a catalog also writes `meta` in the same commit, which recalls the desks"
const ACT = "the port of the room names the act of a caller who does not (`ACT` of platform/port-of.ts): this default is never taken"
const SWEPT = "the work is done from the alarm alone, and `ring` or `#outlived` of tenant/tenant-alarm.ts settles it after the work"
const IN_VAIN = "the alarm that is set stays set and rings once in vain: every part is asked for its time again then"
const TOLD =
  "a message is on its way after each such commit, and its own alarm is set in the same turn; a run that began as it is listed has effects, whose alarm is set"
const GOES_ON = "`goOn` watches the same in the same turn, before anything is waited for"

export const EQUIVALENT: Readonly<Record<string, string>> = {
  "record for write: tenant/tenant-tables.ts: revision": META,
  "record for write: tenant/tenant-tables.ts: revision_forced": META,
  "record for write: tenant/tenant-tables.ts: file": META,
  "record for write: tenant/tenant-tables.ts: change": META,
  "record for write: tenant/tenant-tables.ts: named_item": META,
  "a comparison left out: tenant/tenant-alarm.ts: next !== due":
    "the alarm is set for the earliest time of all, which follows from rows alone: that is when it rings anyway",
  "a comparison left out: tenant/origin-teller.ts: not origins === undefined":
    "`tell` alone asks when there is nothing to tell: the directory's transaction refuses what is no list, and `tell` passes that over",
  "record for write: tenant/tenant-tables.ts: policy": "each write of a policy also writes its version to `meta` in the same commit",
  "record for write: tenant/tenant-tables.ts: made_by_file": "its rows change in one commit with those of `tool`, which recall the desks",
  "an id reused: tenant/callbacks/callback-room.ts: clock.id()": ACT,
  "an id reused: tenant/schedules/schedule-room.ts: clock.id()": ACT,
  "an id reused: tenant/keys/key-store.ts: clock.id()": ACT,
  'a comparison left out: tenant/callbacks/callback-store.ts: r.payload !== "thin"': "a link is signed in vain: no thin message says it",
  "a comparison left out: tenant/keys/key-store.ts: created !== undefined":
    "without a row the comparison after it is false: undefined and a day is no time",
  "a comparison left out: clients/start-refusals.ts: wait > 0": "a pause of no time is no pause",
  'a lease not ended: run/held-start.ts: this.#resources.alarm.drop("held start")': IN_VAIN,
  'an alarm deleted while owed: run/run-object.ts: alarm.drop("watchdog")': IN_VAIN,
  "a lease not ended: run/run-duties.ts: alarm.drop(BELOW)": IN_VAIN,
  "a comparison left out: run/family/family-pause.ts: word !== this.#word": "the children are told the same again, which changes nothing",
  "a lease not ended: tenant/keys/key-room.ts: signIns.forget(id)":
    "a session of a key that is gone opens nothing and is in no list, and its row goes when it is over",
  "a lease not ended: run/run-start.ts: this.#self.drop()":
    "`#stored` of run/awake-run.ts saves such a start when anybody looks, or drops it",
  "a lease not ended: run/fork/run-adoption.ts: this.#self.drop()":
    "`#stored` of run/awake-run.ts drops a conductor whose start is not in the journal when anybody looks",
  "a comparison left out: run/awake-run.ts: Object.keys(conductor.run.underway).length > 0":
    "a run that is over has nothing that `tick` could do, unless effects are under way",
  "a wake-up left out: run/run-duties.ts: alarm.settle()":
    "the alarm that `tell` set when the message left stays until it rings, and that turn sets the next one",
  "a wake-up left out: run/run-duties.ts: this.#resources.alarm.settle()":
    "each turn settles at its end; the report that a timer sends later is that of a run whose effects have their alarm",
  "an await moved before a commit: tenant/tenancy-room.ts: await storage.deleteAll()":
    "SQLite is empty at once, and a deletion that does not become durable aborts the object with all that followed",
  "a wake-up left out: tenant/run-list/retention-sweep.ts: this.#want() (2)": SWEPT,
  "a wake-up left out: tenant/run-list/retention-sweep.ts: this.#deps.want(due)": SWEPT,
  "a comparison left out: tenant/tenant-stores.ts: account.graveUntil() === undefined":
    "what comes late asks `isGone` of tenant/account-store.ts before it writes",
  "a wake-up left out: tenant/starts/start-gate.ts: this.#waiters.wake()":
    "a start that waits for a place looks again after 250 ms by itself",
  'an alarm deleted while owed: run/leaving/run-leaving.ts: this.#resources.alarm.watch("deletion")': GOES_ON,
  'a wake-up left out: run/leaving/run-leaving.ts: this.#resources.alarm.watch("deletion")': GOES_ON,
  'a wake-up left out: run/run-object.ts: alarm.watch("watchdog")': TOLD,
  'an alarm deleted while owed: run/run-object.ts: alarm.watch("watchdog")': TOLD,
  "an await moved before a commit: run/leaving/run-leaving.ts: await duties.settled()":
    "the next line throws while anything is owed, and the alarm tries again",
  'a key not sent again: tenant/schedules/schedules.ts: derivedId(`${this.#deps.tenant}/schedule`, `${id}/${at}${queued ? "/queued" : ""}`)':
    "a fire has its id from its row, which is written before anybody is told of it; without a row nothing has begun",
  "an alarm deleted while owed: tenant/tenancy-room.ts: alarm.want(this.#roundAt + PATIENCE_MS)":
    "`erasure` shares the same time, and a ring settles what is shared",
}
