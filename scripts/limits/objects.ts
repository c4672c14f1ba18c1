// Bounds of src/cloudflare: stores, objects, streams, starts, sandboxes.

import type { LimitTable } from "./limit.ts"

const FEED = "cloudflare/tenant/feed.test.ts"
const ACCESS = "cloudflare/clients/access.test.ts"
const NOTES = "worker/run/run-notes.test.ts"
const OUTGOING = "cloudflare/outgoing/connections.test.ts"
const DESKS = "worker/tenant/desks.test.ts"
const LEASES = "cloudflare/tenant/starts/desks.test.ts"
const GATE = "cloudflare/tenant/starts/start-gate.test.ts"
const CALLBACKS = "worker/tenant/triggers/callbacks.test.ts"
const MEMORY = "worker/memory/memory.test.ts"
const CODE = "worker/run/sandbox.test.ts"

export const OBJECTS: LimitTable = {
  "cloudflare/authoring/repair-proof.ts": {
    BACKTESTED: [
      "recorded runs that a repair is tried on",
      "older ones are not",
      ["worker/tenant/catalog/repairs.test.ts", "has the run's story"],
    ],
  },
  "cloudflare/blobs/blobs-r2.ts": {
    MEMORY_BYTES: [
      "bytes of bodies in an isolate's memory",
      "the oldest leaves",
      ["engine/catalog/catalog-ground.test.ts", "a cache is bounded by weight"],
    ],
    MEMORY_EACH: [
      "bytes of a body in memory",
      "it is not kept in memory",
      ["engine/catalog/catalog-ground.test.ts", "a value that is too heavy is not kept"],
    ],
    MOST_CACHED: [
      "bodies of a burst that are looked for in KV",
      "R2 answers",
      ["worker/blobs/blobs-r2.test.ts", "of a burst only the first"],
    ],
    BURST_MS: ["milliseconds of a burst of reads", "KV is used again", ["worker/blobs/blobs-r2.test.ts", "of a burst only the first"]],
    KV_EACH: ["bytes of a body in KV", "it is in R2 only", ["worker/blobs/blobs-r2.test.ts", "bodies over 1 MiB stay out of KV"]],
  },
  "cloudflare/blobs/objects-r2.ts": {
    OBJECT_BYTES: ["bytes of a shared file", "the tool fails", ["limits/answer-bounds.test.ts", "a file of more than 25 MiB"]],
    LONGEST_LINK: [
      "seconds of a shared file's link",
      "the tool fails",
      ["limits/answer-bounds.test.ts", "a link opens for a week at most"],
    ],
    LISTED: ["shared files of one call to R2", "the next call has the rest"],
  },
  "cloudflare/capabilities/model-powers.ts": {
    ANSWER_TOKENS: ["output tokens of an answer about an image or a recording", "the answer ends there"],
  },
  "cloudflare/capabilities/plan-dispatch.ts": {
    TIMEOUT_MS: ["milliseconds of a dispatcher", "the plan fails"],
    MAX_BYTES: ["bytes of a dispatcher's answer", "the plan fails", ["tools/plans/plans.test.ts", "too much data are failures"]],
  },
  "cloudflare/clients/cache/key-cache.ts": { MAX_KEYS: ["keys in memory", "the cache is emptied"] },
  "cloudflare/clients/access.ts": {
    KEYS_MS: ["milliseconds that a team's keys are kept", "they are read again", [ACCESS, "keys are read once"]],
    ASK_AGAIN_MS: ["milliseconds between two questions for unknown keys", "the token is refused", [ACCESS, "keys are read once"]],
    TIMEOUT_MS: ["milliseconds of a team's keys", "the token is refused", [ACCESS, "a team that does not answer in 5 seconds"]],
    MAX_BYTES: ["characters of a team's keys", "the token is refused", [ACCESS, "too many keys, or too much of them"]],
    MAX_KEYS: ["keys of a team", "the rest is not read", [ACCESS, "too many keys, or too much of them"]],
  },
  "cloudflare/platform/access-token.ts": {
    MAX_TOKEN: ["characters of a token of Cloudflare Access", "401", [ACCESS, "is refused, and says why"]],
    SKEW_S: ["seconds between the clocks of Access and of this Worker", "401", [ACCESS, "is refused, and says why"]],
  },
  "cloudflare/tenant/feed/decided-index.ts": {
    MAX_PAGE: [
      "rows of a page of answered interactions",
      "the next page has the rest",
      ["worker/tenant/answered.test.ts", "in pages of any size"],
    ],
  },
  "cloudflare/tenant/feed/feed.ts": {
    MAX_KEPT: [
      "events that a tenant's stream remembers",
      "a reader of older ones is told of a gap",
      [FEED, "of a thousand events the oldest are a gap"],
    ],
    MAX_STREAMS: ["streams of a tenant at once", "429", [FEED, "fifty streams at once"]],
    MAX_ANSWERED: ["events of one answer", "the next answer has the rest", [FEED, "of a thousand events the oldest are a gap"]],
    MAX_WAIT_MS: ["milliseconds of one look", "the next look goes on", [FEED, "waits no longer than 20 seconds"]],
    GONE_MS: ["milliseconds until a stream that does not look is gone", "its place is free", [FEED, "fifty streams at once"]],
    KEEPS_MS: ["milliseconds that events are kept after the last look", "the next reader is told of a gap", [FEED, "while nobody listens"]],
  },
  "cloudflare/clients/cache/sign-in-cache.ts": { MAX_SESSIONS: ["sessions in memory", "the cache is emptied"] },
  "cloudflare/tenant/keys/sign-in-store.ts": {
    MAX_SESSIONS_OF_KEY: [
      "sessions of one key",
      "the oldest ends",
      ["worker/http/sign-in.test.ts", "of one key there are at most a hundred"],
    ],
  },
  "ports/tenant/sign-ins.ts": {
    MOST_LISTED: [
      "sessions of people in the list",
      "the newest are listed",
      ["worker/http/sign-in.test.ts", "of more than a thousand, the newest are listed"],
    ],
  },
  "cloudflare/platform/recent-answers.ts": {
    MOMENT_MS: [
      "milliseconds that a key, a rule or a secret is remembered",
      "it is asked for again",
      ["cloudflare/clients/isolate-caches.test.ts", "5 s later at the latest"],
    ],
  },
  "cloudflare/clients/start-refusals.ts": {
    MAX_ENTRIES: ["refusals in memory", "the cache is emptied"],
    PER_MINUTE: [
      "refusals a minute at full speed",
      "they come at this pace",
      ["cloudflare/clients/start-refusals.test.ts", "gets fifty refusals at once, then fifty a second"],
    ],
    MAX_WAIT_MS: [
      "milliseconds that a refusal waits",
      "it is answered then",
      ["cloudflare/clients/start-refusals.test.ts", "never waits longer than two seconds"],
    ],
  },
  "cloudflare/clients/model-trial.ts": {
    MAX_TOKENS: [
      "output tokens of a provider's test",
      "the provider ends the reply",
      ["cloudflare/clients/model-trial.test.ts", "it asks for at most 256 tokens"],
    ],
    MAX_SAID: [
      "characters of what a tested provider said",
      "the rest is cut",
      ["cloudflare/clients/model-trial.test.ts", "it asks for at most 256 tokens"],
    ],
  },
  "cloudflare/clients/subagents.ts": { WAIT_MS: ["milliseconds that a start of a subagent waits", "the run continues"] },
  "cloudflare/clients/tenants.ts": {
    WAIT_MS: [
      "milliseconds that the request of a deletion waits",
      "202; the alarm does the rest",
      ["worker/tenant/tenants.test.ts", "many runs take several rounds"],
    ],
  },
  "cloudflare/directory/signing-keys.ts": {
    MAX_SIGNING_KEYS: [
      "keys that ever signed receipts of an instance",
      "409 `too_many_signing_keys`",
      ["worker/run/receipt.test.ts", "at most 100 keys"],
    ],
  },
  "cloudflare/directory/directory-object.ts": { MOST: ["tenants of a page", "the next page has the rest"] },
  "cloudflare/memory/memory-meaning.ts": {
    TEXTS: ["texts of one request for vectors", "the next request has the rest"],
    CHARS: [
      "characters of a text that its vector is made from",
      "the rest does not count",
      ["limits/tool-answers.test.ts", "a text for a vector has 6,000"],
    ],
    TIMEOUT_MS: [
      "milliseconds of a request for vectors",
      "the search is by words alone",
      ["limits/tool-answers.test.ts", "a text for a vector has 6,000"],
    ],
  },
  "cloudflare/memory/memory-object.ts": {
    COMPARED: ["vectors that a search compares", "older entries are found by words alone"],
    READ_LIMIT: ["entries of one reading", "the newest are answered"],
    SEARCH_LIMIT: ["entries that a search answers", "the best are answered"],
  },
  "cloudflare/memory/memory-sql.ts": {
    ENTRY_BYTES: ["bytes of an entry of the memory", "the tool fails", [MEMORY, "a batch that is too large is refused"]],
    MEMORY_BYTES: ["bytes of a tenant's memory", "the tool fails"],
    READ_BYTES: ["bytes of one reading", "the newest that fit are answered"],
  },
  "cloudflare/outgoing/connections.ts": {
    MAX_OWN: [
      "calls of a run's object that wait for an answer",
      "further ones leave through couriers",
      [OUTGOING, "four wait in the object"],
    ],
    MAX_OWN_SENT: [
      "calls of a run's object between two alarms",
      "further ones leave through couriers",
      [OUTGOING, "until the object has sent its share"],
    ],
    RENEW_AFTER_SENT: [
      "calls of a run's object after which its alarm rings",
      "an event begins the counts anew",
      [OUTGOING, "until the object has sent its share"],
    ],
    RENEW_AFTER_COURIERS: [
      "couriers after which its alarm rings",
      "an event begins the counts anew",
      [OUTGOING, "after 24 couriers an invocation says that it is spent"],
    ],
    MAX_SENDING: [
      "bytes of a run's requests whose answers have not begun",
      "the next request waits",
      [OUTGOING, "requests of 16 MiB are on their way at once"],
    ],
    SMALL: [
      "bytes of a request that never waits for others",
      "it waits until there is room",
      [OUTGOING, "requests of 16 MiB are on their way at once"],
    ],
    MAX_LARGE: [
      "effects of a run that hold an answer of more than 256 KiB",
      "the next one waits to read on",
      [OUTGOING, "six effects hold a large answer"],
    ],
    MAX_CARRIED: ["calls of a courier under way", "another courier is hired", [OUTGOING, "four wait in the object"]],
    MAX_CARRIED_SENT: ["calls of a courier", "another courier is hired", [OUTGOING, "a courier makes 40 calls at most"]],
    MAX_COURIERS: [
      "couriers of an object between two alarms",
      "calls leave from the object, and its alarm rings",
      [OUTGOING, "after 24 couriers an invocation says that it is spent"],
    ],
  },
  "cloudflare/outgoing/parcel.ts": {
    MAX_PARCEL: ["bytes of a body that a courier carries", "the call leaves from the object", [OUTGOING, "leaves from the object"]],
  },
  "cloudflare/platform/invocation.ts": {
    MAX_TAKEN: [
      "effects of a run, and bodies that an object stores, after which its alarm rings",
      "an event begins the counts of the platform anew",
      ["cloudflare/platform/invocation.test.ts", "the alarm rings once after 80 effects"],
    ],
    TURN_MS: [
      "milliseconds that bodies wait for that alarm",
      "they are stored",
      ["cloudflare/platform/invocation.test.ts", "bodies wait for the alarm"],
    ],
  },
  "cloudflare/platform/signed-token.ts": {
    MAX_CHARS: [
      "characters of a signed token",
      "it is not valid",
      ["limits/answer-bounds.test.ts", "a token of more than 4,096 characters"],
    ],
  },
  "cloudflare/platform/own-calls.ts": {
    OWN_CALL_MS: [
      "ms of a call between own objects, besides what it was asked to wait",
      "the caller hears that it was late, and may ask again",
      ["cloudflare/platform/own-calls.test.ts", "that is never answered fails after its limit"],
    ],
    LONG_CALL_MS: [
      "the same of a call that computes long: imports, proofs, forks, deletions",
      "the caller hears that it was late, and may ask again",
      ["cloudflare/platform/own-calls.test.ts", "has a limit of its own"],
    ],
  },
  "cloudflare/run/unwanted-run.ts": {
    KEPT_MS: [
      "ms for which a run that has not begun is marked as not wanted",
      "the mark is deleted",
      ["worker/run/between-objects.test.ts", "leaves a mark there for a day"],
    ],
  },
  "cloudflare/run/family/run-family.ts": {
    CARRY_MS: [
      "ms that a child has for one effect that it kept",
      "it counts as uncertain",
      ["cloudflare/run/carried-out.test.ts", "that is never settled counts as uncertain"],
    ],
  },
  "cloudflare/run/alarm-failures.ts": {
    MAX_FAILURES: [
      "failures in a row of a run's alarm",
      "the run ends with source `engine`",
      ["worker/run/leaving.test.ts", "a dozen times is tried again"],
    ],
  },
  "cloudflare/run/idempotency-record.ts": {
    KEPT_MS: [
      "milliseconds that an answer is stored under its key",
      "the key is new again",
      ["worker/tenant/retention.test.ts", "until its day is over"],
    ],
    AT_WORK_MS: ["milliseconds that an unfinished request holds its key", "the request is made again"],
  },
  "cloudflare/run/journal/journal-pages.ts": {
    PAGE_CHARS: [
      "characters of a page of events",
      "the next page has the rest",
      ["worker/run/faults.test.ts", "a journal larger than the answer limit is read in pages"],
    ],
  },
  "cloudflare/run/journal/packed-text.ts": {
    ROW_CHARS: [
      "characters of the events of a row",
      "they are in several rows",
      ["worker/run/faults.test.ts", "an event and a snapshot larger than a row"],
    ],
    LONG_CHARS: [
      "characters of a text in a row",
      "it is in pieces",
      ["worker/run/faults.test.ts", "an event and a snapshot larger than a row"],
    ],
  },
  "cloudflare/platform/alarm-owners.ts": {
    FARTHEST_MS: [
      "milliseconds to the next alarm",
      "it rings then, and is set again",
      ["worker/run/faults.test.ts", "a wait beyond the platform's latest alarm time"],
    ],
  },
  "cloudflare/run/run-notes.ts": {
    MAX_NOTES: ["notes of doors about a run", "the new one is not kept", [NOTES, "one note too many"]],
    MAX_NOTE_CHARS: ["characters of a door's note about a run", "it is not kept", [NOTES, "a name or a text that is too long"]],
    MAX_NAME: ["characters of a note's name", "it is not kept", [NOTES, "a name or a text that is too long"]],
  },
  "cloudflare/run/run-row.ts": {
    MAX_DECIDED: [
      "answers of one run in its tenant's list",
      "older ones are in the run alone",
      ["cloudflare/run/run-row.test.ts", "the newest 200 answers"],
    ],
    MAX_TOLD: [
      "characters of an output or a question in a callback",
      "it is left out, and named in `omitted`",
      ["cloudflare/run/run-row.test.ts", "an output of more than 131,072"],
    ],
  },
  "cloudflare/run/run-telemetry.ts": { PAGE_CHARS: ["characters of events read for an export", "the next page has the rest"] },
  "cloudflare/run/team.ts": { MAX_FAULTS: ["faults in a row of a called agent's run", "the call fails"] },
  "cloudflare/run/streams/event-sockets.ts": {
    WINDOW_CHARS: ["characters on their way to a reader", "the next wait for its answer"],
    TRANSIENT_CHARS: ["characters on their way above which transient frames are left out", "they are left out"],
  },
  "cloudflare/run/streams/event-stream.ts": {
    MOST_BEATS: [
      "heartbeats in which a reader takes nothing",
      "its stream ends; it comes back at its cursor",
      ["cloudflare/run/event-stream.test.ts", "a reader that takes nothing is cut off after a minute"],
    ],
    MOST_UNTAKEN: [
      "characters that pass while a reader takes nothing",
      "its stream ends; it comes back at its cursor",
      ["cloudflare/run/event-stream.test.ts", "while a mebibyte passes is cut off before"],
    ],
    MAX_TRANSIENT: [
      "transient frames that wait for a reader",
      "they are left out",
      ["cloudflare/run/event-stream.test.ts", "frames for a reader that does not read are dropped"],
    ],
  },
  "cloudflare/run/streams/live-frames.ts": {
    MAX_SO_FAR: [
      "characters of a running turn that a late reader gets at least, of a longer text",
      "the oldest are left out, and counted",
      ["cloudflare/run/live-frames.test.ts", "the newest text, and how much is missing"],
    ],
    MAX_OPEN_TURNS: [
      "steps whose running turns are kept for late readers",
      "a late reader gets the text of the others from then on",
      ["cloudflare/run/live-frames.test.ts", "the newest text, and how much is missing"],
    ],
  },
  "cloudflare/sandbox/container-exec.ts": {
    TIMEOUT_MS: ["milliseconds of a request inside a sandbox", "the tool fails"],
    MAX_FILES: [
      "names listed of a sandbox",
      "the rest stays in it",
      ["engine/code/sandbox.test.ts", "files that are too large or too many"],
    ],
    PART_BYTES: ["bytes of a part of a transfer", "the next part has the rest"],
    PART_FILES: ["files of a part of a transfer", "the next part has the rest"],
  },
  "cloudflare/sandbox/containers.ts": {
    MAX_PATIENCE_MS: ["milliseconds between two tries to end a machine", "the next try"],
    MAX_TRIES: [
      "tries to end a machine",
      "it ends by its own idle time",
      ["cloudflare/sandbox/run-containers.test.ts", "is tried at most twenty times"],
    ],
    ANSWER_MS: ["milliseconds of a machine's answer", "it is tried again"],
  },
  "cloudflare/sandbox/sandbox-harness.ts": {
    MAX_RESULT_BYTES: ["bytes of a handler's value", "the step fails: `code_error`", [CODE, "larger than 256 KiB"]],
    MAX_LOGS: [
      "lines that a handler logs",
      "further ones are dropped",
      ["worker/run/sandbox.test.ts", "the log of a handler that never stops logging is cut"],
    ],
    MOST: ["steps of a handler", "the step fails: `code_timeout`"],
    MOST_PER_MS: [
      "steps of a handler for each millisecond of its step's time",
      "the step fails: `code_timeout`",
      ["worker/run/sandbox.test.ts", "a handler that computes forever is stopped"],
    ],
  },
  "ports/sandbox.ts": {
    MAX_TEXT: [
      "characters of a line or a message of a handler",
      "the rest is cut",
      ["worker/run/sandbox.test.ts", "the log of a handler that never stops logging is cut"],
    ],
  },
  "cloudflare/sandbox/sandbox-loader.ts": {
    CPU_MS: ["milliseconds of CPU of a handler", "the platform ends it"],
    MAX_ANSWER_BYTES: ["bytes of an isolate's answer", "the step fails: `code_error`"],
  },
  "cloudflare/tenant/lease-store.ts": { SHARES: ["parts of a day's budget", "a slice is no smaller"] },
  "cloudflare/tenant/starts/promised-runs.ts": {
    MAX_SPENT: [
      "rows of promised runs that are kept to be written over",
      "the row of a run that reports is deleted",
      ["cloudflare/tenant/starts/promised-slots.test.ts", "a burst leaves no more than 32"],
    ],
  },
  "cloudflare/tenant/tenant-sql.ts": {
    KEPT_PROJECTS: [
      "projects of a tenant whose last apply is remembered",
      "the one applied longest ago is forgotten, and has no drift",
      ["worker/tenant/catalog/apply.test.ts", "the newest 100 projects"],
    ],
  },
  "cloudflare/tenant/triggers/name-store.ts": {
    KEPT_NAMES: [
      "names of hooks, and of schedules, without a file whose ids are remembered",
      "the oldest is forgotten, and gets a new address",
      ["worker/tenant/catalog/project.test.ts", "of names without a file the newest 1,000"],
    ],
  },
  "cloudflare/tenant/question-store.ts": {
    MAX_STORED: ["questions stored of a tenant", "the oldest answered one is forgotten"],
    OPEN_LIMIT: ["open questions outside runs", "the tool fails"],
  },
  "cloudflare/tenant/effect-index.ts": {
    MAX_PAGE: ["effects of a page", "422 at `?limit`", ["http/runs/effects.test.ts", "limit=201"]],
  },
  "cloudflare/tenant/task-list.ts": {
    MAX_PAGE: ["tasks of a page", "400", ["worker/tenant/triggers/push-store.test.ts", "tasks come by their latest status"]],
  },
  "cloudflare/tenant/insight/failure-store.ts": {
    MOST_GROUPS: [
      "groups of failures of a tenant",
      "the one that was seen longest ago leaves",
      ["worker/tenant/failures.test.ts", "of 501 groups"],
    ],
  },
  "cloudflare/tenant/insight/usage-store.ts": {
    KEPT_DAYS: ["days that sums of usage are kept", "they are deleted", ["worker/tenant/usage.test.ts", "days leave after 400"]],
    MOST_NAMES: [
      "models, agents, tools or flows of a day whose usage is counted by name",
      "the rest is counted together",
      ["worker/tenant/usage.test.ts", "of more than 500 names"],
    ],
    MOST_DAILY: [
      "names of an answer with a row for each day and name",
      "the others of a day are one sum",
      ["worker/tenant/usage.test.ts", "each day by name"],
    ],
    MOST_SUMS: [
      "sums of an answer",
      "the smallest are left out, and the answer says so",
      ["worker/tenant/usage.test.ts", "of more than 500 names"],
    ],
  },
  "cloudflare/tenant/insight/run-counts.ts": {
    SCANNED: [
      "runs that are read for a count",
      "the answer says that there are more",
      ["worker/tenant/run-counts.test.ts", "other filters read 10,000"],
    ],
    MOST_COUNTED: [
      "flows of a count",
      "those with the fewest runs are left out, and the answer says so",
      ["worker/tenant/run-counts.test.ts", "of 1,001 flows the one with the fewest runs"],
    ],
  },
  "cloudflare/tenant/given-answers.ts": {
    MAX_KEPT: [
      "answers of a tenant that a client's history is compared with, the newest",
      "an older one counts as text from outside",
      ["worker/http/client-history.test.ts", "bounded in rows and in age"],
    ],
    KEPT_MS: [
      "milliseconds that such an answer is known",
      "it counts as text from outside",
      ["worker/http/client-history.test.ts", "bounded in rows and in age"],
    ],
  },
  "cloudflare/tenant/run-index.ts": {
    MAX_PAGE: ["runs of a page", "422 at `?limit`", ["http/runs/runs.test.ts", "limit=201"]],
    SCAN: ["rows read for a page of runs", "the cursor continues there", ["worker/tenant/run-index.test.ts", "a page reads at most 5,000"]],
  },
  "cloudflare/tenant/session-store.ts": {
    MAX_BYTES: [
      "bytes of a sticky session",
      "it loses its oldest runs",
      ["worker/tenant/sticky-sessions.test.ts", "only the newest runs of a long conversation are read"],
    ],
    TTL_MS: ["milliseconds since a session's last use", "it is forgotten", ["worker/tenant/sticky-sessions.test.ts", "a session expires"]],
  },
  "cloudflare/tenant/workspace-store.ts": { MAX_FILES: ["files of a tenant's workspace", "the tool fails"] },
  "cloudflare/tenant/tenant-alarm.ts": {
    LONGEST_MS: ["milliseconds that the alarm waits for one user", "it calls that user again later"],
  },
  "cloudflare/tenant/starts/start-queue.ts": {
    ANSWER_MS: [
      "milliseconds that a queued run's object may take to begin it",
      "it is asked again; it delays no other run",
      ["cloudflare/tenant/starts/start-queue.test.ts", "an object that does not answer"],
    ],
  },
  "cloudflare/tenant/tenant-work.ts": {
    LAUNCH_MS: ["milliseconds that a start of a delivery or schedule takes", "the next try is under the same id"],
  },
  "cloudflare/platform/neighbours.ts": { MAX_TENANTS: ["tenants that count as active", "the oldest is forgotten"] },
  "cloudflare/tenant/starts/start-gate.ts": {
    MAX_WAITERS: ["starts that wait for a place", "429 `quota`", ["limits/waits.test.ts", "waits 250 ms, and fifty wait"]],
    PATIENCE_MS: ["milliseconds that a start waits for a place", "429 `quota`", ["limits/waits.test.ts", "waits 250 ms, and fifty wait"]],
  },
  "cloudflare/desks/desk-leases.ts": {
    BUSY_STARTS: ["starts in 5 s", "the tenant's next starts go to its desks", [DESKS, "of 1,000 starts at most 50 wait"]],
    MAX_HELD: ["places that a desk holds", "it asks for more", [LEASES, "quotas are never passed"]],
    RECALL_MS: ["milliseconds that a write waits for a desk", "it waits for the end of its lease", [LEASES, "quotas are never passed"]],
  },
  "ports/desks.ts": {
    LEASE_MS: ["milliseconds of a desk's lease", "the desk asks for another", [LEASES, "quotas are never passed"]],
  },
  "cloudflare/desks/desk.ts": {
    MAX_WAITING: ["reports of runs that wait in a desk", "the next run reports to the tenant's object", [LEASES, "takes 2,000 reports"]],
  },
  "cloudflare/platform/turns.ts": {
    MAX_PACE_MS: ["milliseconds that a start waits for its turn", "429 `quota`", [GATE, "wait at most five seconds"]],
  },
  "cloudflare/tenant/triggers/callback-sender.ts": {
    ANSWER_MS: [
      "milliseconds of a receiver's answer",
      "the message is sent again",
      [CALLBACKS, "a try without an answer is given up after 10 s"],
    ],
    UNSIGNED_TRIES: [
      "tries without a secret to sign with",
      "the message is dead",
      ["worker/tenant/triggers/callbacks.test.ts", "without a secret that can sign, it is soon dead"],
    ],
    PLACES: ["messages on their way", "the next waits"],
    PLACES_EACH: ["messages on their way to one receiver", "the next waits"],
    PLACES_FAILING: ["messages on their way to failing receivers", "the next waits"],
    MAX_FAILING: ["failing receivers in memory", "the oldest is forgotten"],
    MAX_ERROR_CHARS: ["characters of a receiver's fault", "the rest is cut"],
  },
  "cloudflare/tenant/triggers/deliveries.ts": {
    GIVE_UP_MS: ["milliseconds that a delivery's start is tried", "the delivery has failed"],
    PATIENCE_MS: ["milliseconds that a delivery's sender waits", "202; the start continues"],
    BEGUN_AT_ONCE: [
      "deliveries of a tenant whose runs are begun at once",
      "the next begins when one has begun",
      ["cloudflare/tenant/triggers/deliveries.test.ts", "so many runs are begun at once"],
    ],
    MOST_WAITING: ["deliveries that wait in memory for their runs to begin", "the next ring of the tenant's alarm begins them"],
  },
  "cloudflare/tenant/triggers/delivery-store.ts": {
    SEEN_MS: [
      "milliseconds that a delivery's id is remembered",
      "it starts a run again",
      ["worker/tenant/triggers/hook-replays.test.ts", "valid, 50 times at once"],
    ],
    MAX_LISTED: ["deliveries of a page", "422 at `?limit`", ["http/triggers/hooks.test.ts", "a foreign cursor and a bad limit are 422"]],
    PIECE_CHARS: ["characters of a delivery in a row", "it is in pieces"],
  },
  "cloudflare/tenant/triggers/schedules.ts": { GIVE_UP_MS: ["milliseconds that a fire's start is tried", "the fire has failed"] },
  "cloudflare/worker/readiness.ts": { PATIENCE_MS: ["milliseconds of each part of `/readyz`", "503 `not_ready`"] },
}
