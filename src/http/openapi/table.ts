// All descriptions in one table [H11]; a test holds it against the routes.

import type { z } from "zod"
import { CATALOG } from "./catalog.ts"
import { NAMED_OF_CATALOG } from "./catalog-shapes.ts"
import { REFERENCES } from "./references.ts"
import { RUNS } from "./runs.ts"
import { SETTINGS } from "./settings.ts"
import { NAMED_OF_SETTINGS } from "./settings-shapes.ts"
import { NAMED } from "./shapes.ts"
import { TOOLS } from "./tools.ts"
import type { Table } from "./told.ts"
import { NAMED_OF_TRIGGERS } from "./trigger-shapes.ts"
import { TRIGGERS } from "./triggers.ts"

export const TABLE: Table = { ...RUNS, ...CATALOG, ...TOOLS, ...REFERENCES, ...TRIGGERS, ...SETTINGS }

/** Schemas with a name of their own in the document; bodies and answers of one route are named after it. */
export const SCHEMAS: Readonly<Record<string, z.ZodType>> = { ...NAMED, ...NAMED_OF_CATALOG, ...NAMED_OF_SETTINGS, ...NAMED_OF_TRIGGERS }
