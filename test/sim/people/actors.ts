// Actors: all kinds of people.

import type { Actor } from "./life.ts"
import { answers } from "./answers.ts"
import { cancelers, deleters, pausers, signalers, steerers } from "./meddlers.ts"
import { starts } from "./starts.ts"

/** Whoever hears of starts is there before they begin. */
export const ACTORS: readonly Actor[] = [signalers, cancelers, deleters, pausers, steerers, answers, starts]
