// Makes the JSON Schemas of a project's files, with what the API's document says of their fields.

import { z } from "zod"
import type { JsonSchema } from "../../core/json.ts"
import { fileSchema, type SchemaName } from "../../engine/catalog/config/file-schemas.ts"
import { mark, plain } from "./field-texts.ts"

export const describedSchema = (name: SchemaName): JsonSchema =>
  fileSchema(name, (body, options) => {
    // Nothing refers to them: `z.json()` has become `{}`.
    const { definitions: _json, ...schema } = plain(z.toJSONSchema(body, { ...options, override: mark }))
    return schema
  })
