// Holds what all parts of a run's object share: its storage with the classes that own parts of it, its readers, and its events. Nothing
// here depends on a part; each part takes what it needs.

import { Connections } from "../outgoing/connections.ts"
import { RunContainers } from "../sandbox/containers.ts"
import type { Env } from "../platform/env.ts"
import { keysWhile, numberedKeys } from "../platform/format.ts"
import { Invocation } from "../platform/invocation.ts"
import { hideFromLog } from "../platform/log.ts"
import { sha256 } from "../platform/sha256.ts"
import { AlarmFailures } from "./alarm-failures.ts"
import { IdempotencyRecord } from "./idempotency-record.ts"
import { SqlJournal } from "./journal/journal-sql.ts"
import { Waiters } from "../platform/waiters.ts"
import { LiveFrames } from "./streams/live-frames.ts"
import { RunAlarm } from "./run-alarm.ts"
import { RunBodies } from "./run-bodies.ts"
import { RunBytes } from "./run-bytes.ts"
import { RunEvents } from "./run-events.ts"
import { RunProjections } from "./run-projections.ts"
import { RunTelemetry } from "./run-telemetry.ts"
import { tenantTraces } from "../clients/tenant-traces.ts"
import { SessionSaving } from "./session-saving.ts"

export interface RunResources {
  readonly env: Env
  readonly ctx: DurableObjectState
  readonly kv: SyncKvStorage
  /** What a run notes of the messages that it has sent. Nothing is noted of a run that is erased by then [N3]. */
  readonly marks: SyncKvStorage
  /** Work that continues after the answer. */
  readonly later: (work: Promise<unknown>) => void
  readonly events: RunEvents
  readonly journal: SqlJournal
  readonly alarm: RunAlarm
  /** [J16] Every call that the run makes outside. */
  readonly connections: Connections
  readonly invocation: Invocation
  readonly failures: AlarmFailures
  readonly record: IdempotencyRecord
  readonly live: LiveFrames
  /** Callers that wait for the run. */
  readonly waiters: Waiters
  readonly bodies: RunBodies
  readonly bytes: RunBytes
  readonly containers: RunContainers
  readonly projections: RunProjections
  readonly sessions: SessionSaving
  readonly telemetry: RunTelemetry
  /** [R34] Keys of batches that are on their way to their provider in this life. */
  readonly sending: Set<string>
}

export function runResources(ctx: DurableObjectState, env: Env): RunResources {
  hideFromLog(env)
  const { storage } = ctx
  const journal = new SqlJournal(storage)
  const kv = numberedKeys(storage.kv, () => journal.last() === 0)
  const marks = keysWhile(() => journal.last() > 0, kv)
  const bodies = new RunBodies(marks, journal)
  const alarm = new RunAlarm(storage)
  const invocation = new Invocation({ want: (at) => alarm.want("calls", at) })
  return {
    env,
    ctx,
    kv,
    marks,
    later: (work) => ctx.waitUntil(work),
    events: new RunEvents(),
    journal,
    alarm,
    connections: new Connections(ctx.exports, () => invocation.spent()),
    invocation,
    failures: new AlarmFailures(kv),
    record: new IdempotencyRecord(storage),
    live: new LiveFrames(),
    waiters: new Waiters(),
    bodies,
    bytes: new RunBytes(
      storage,
      () => journal.size(),
      (hash) => bodies.put(hash),
    ),
    containers: new RunContainers(env, kv),
    projections: new RunProjections(journal),
    sessions: new SessionSaving({ env, marks, journal }),
    sending: new Set(),
    telemetry: new RunTelemetry({
      env,
      marks,
      journal,
      hash: sha256,
      now: () => Date.now(),
      tracesOf: (tenant) => tenantTraces(env, tenant),
    }),
  }
}
