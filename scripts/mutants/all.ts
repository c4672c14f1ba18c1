// All planted faults.

import { KERNEL } from "./kernel.ts"
import { IMPORTS } from "./imports.ts"
import { BODIES } from "./bodies.ts"
import { MODELS } from "./models.ts"
import { SERVERS } from "./servers.ts"
import { SESSIONS } from "./sessions.ts"
import { SHELL_RUN } from "./shell-run.ts"
import { OUTSIDE } from "./outside.ts"
import { SHELL_TENANT } from "./shell-tenant.ts"
import { NAMED } from "./names.ts"
import { KEEPING } from "./keeping.ts"
import { OUTSIDERS_SAY } from "./outsiders.ts"
import { TRUST } from "./trust.ts"
import { UNACCEPTED } from "./unaccepted.ts"
import type { Mutant } from "./mutant.ts"

export const MUTANTS: readonly Mutant[] = [
  ...KERNEL,
  ...BODIES,
  ...SESSIONS,
  ...SHELL_RUN,
  ...OUTSIDE,
  ...SHELL_TENANT,
  ...OUTSIDERS_SAY,
  ...TRUST,
  ...KEEPING,
  ...MODELS,
  ...IMPORTS,
  ...SERVERS,
  ...UNACCEPTED,
  ...NAMED,
]
