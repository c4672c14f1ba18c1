// Actors: all kinds of people.

import { answers } from "./answers.ts"
import { bulkers } from "./bulkers.ts"
import { changers } from "./changers.ts"
import { chatters } from "./chatters.ts"
import { forks } from "./forks.ts"
import { keepers } from "./keepers.ts"
import { founders } from "./founders.ts"
import { graders } from "./graders.ts"
import { listeners } from "./listeners.ts"
import { lookers } from "./lookers.ts"
import { posters } from "./posters.ts"
import { queuers } from "./queuers.ts"
import { rares } from "./rares.ts"
import { retainers } from "./retainers.ts"
import { returners } from "./returners.ts"
import { rushers } from "./rushers.ts"
import type { Actor } from "./life.ts"
import { cancelers, deleters, pausers, signalers, steerers } from "./meddlers.ts"
import { planners } from "./planners.ts"
import { readers } from "./readers.ts"
import { receivers } from "./receivers.ts"
import { budgeters, politicians, quotaMakers } from "./rulers.ts"
import { senders } from "./senders.ts"
import { callers, settlers } from "./settlers.ts"
import { starts } from "./starts.ts"
import { waiters } from "./waiters.ts"
import { writers } from "./writers.ts"

/** Whoever hears of starts is there before they begin. */
export const ACTORS: readonly Actor[] = [
  signalers,
  cancelers,
  deleters,
  pausers,
  steerers,
  readers,
  forks,
  settlers,
  answers,
  receivers,
  writers,
  quotaMakers,
  budgeters,
  politicians,
  keepers,
  senders,
  planners,
  chatters,
  callers,
  starts,
  lookers,
  rares,
  rushers,
  waiters,
  returners,
  retainers,
  founders,
  bulkers,
  changers,
  queuers,
  posters,
  listeners,
  graders,
]
