// Explained: mutants that no law can find, each with why: there is a second defense, it only costs more, or nobody of the simulator goes there. The name
// is the mutator's, and a test fails when it has none of that name any more.

const META = "each write of a catalog also writes `meta` in the same commit, which recalls the desks"
const NO_MCP = "nobody of the simulator registers or connects an MCP server"
const KEYED = "whoever asks has a key: the port of the room chooses one for a caller without"
const MANY = "a run has more than 200 orphans at once only in `npm run limits:platform`"

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
}
