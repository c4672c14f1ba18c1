// Defines the import of an OpenAPI document's operations [T26]: the body of `POST /v1/tools/import`, and a file `tools/NAME.yaml` that has
// the document under `openapi`. A file contains the document itself, because the document at an address may change and a revision may not.

import { z } from "zod"
import { MAX_DEFINITION, name, objectWithin, within } from "../schema/bounded.ts"
import { later } from "../schema/later.ts"

const MAX_DOCUMENT = 10 * 1_048_576 // limit: characters of an OpenAPI document → 422 at `/openapi`

export const OpenApiDocument = later(() => z.union([z.string().min(1).max(MAX_DOCUMENT), objectWithin(MAX_DOCUMENT)]))

export const IMPORT_OPTIONS = {
  prefix: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9_.-]{0,31}$/, 'must have 1 to 32 letters, digits, "_", "-" or ".", and start with a letter')
    .exactOptional(),
  server: z.string().min(1).max(2_000).exactOptional(),
  // core/tool/http-tool.ts reads it with each registration.
  auth: within(z.json(), MAX_DEFINITION).exactOptional(),
  only: z.array(name).min(1).max(1_000).exactOptional(),
}

export const OpenApiFile = later(() => z.strictObject({ openapi: OpenApiDocument, ...IMPORT_OPTIONS }))
