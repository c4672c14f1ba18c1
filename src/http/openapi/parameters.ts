// Parameters that many routes take [H5, H9, F73].

import { z } from "zod"
import { MOST_OF_PAGE } from "../middleware/page.ts"
import type { Parameter } from "./told.ts"

export const TEXT = z.string()

export const limitTo = (most: number, otherwise: number): Parameter => ({
  schema: z.int().min(1).max(most).default(otherwise),
  says: "How many at most.",
})
/** Of a list that is at hand whole. */
export const PAGE: Readonly<Record<string, Parameter>> = {
  limit: { schema: z.int().min(1).max(MOST_OF_PAGE), says: "How many at most; left out, all of them." },
  cursor: { schema: z.string(), says: "`next_cursor` of the page before." },
}
export const CURSOR: Parameter = { schema: z.string(), says: "`next_cursor` of the page before." }
export const PREFER: Parameter = { schema: z.string(), says: "`wait=N`: the answer may take up to N seconds, at most 90." }
export const REVISION: Parameter = { schema: z.int().min(0), says: "As it was at this revision of the catalog." }
export const IF_MATCH: Parameter = { schema: z.string(), says: "Only when this is the ETag of what is stored now, or `*`." }
export const IF_NONE_MATCH: Parameter = { schema: z.string(), says: "ETags that are known already." }
