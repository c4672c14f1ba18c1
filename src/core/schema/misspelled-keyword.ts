// Detects a key that is almost a keyword of JSON Schema: `propreties` checks nothing, but its author believes that it does. Keys of other
// vocabularies, and keys unlike any keyword, are ignored.

import { nearest } from "../text/nearest.ts"

/** Those that say which values fit. Shorter ones (`if`, `not`) are close to too many words. */
const ASSERTIONS = (
  "$ref type enum const properties required items prefixItems contains additionalProperties patternProperties propertyNames " +
  "unevaluatedItems unevaluatedProperties dependentRequired dependentSchemas allOf anyOf oneOf minimum maximum exclusiveMinimum " +
  "exclusiveMaximum multipleOf minLength maxLength pattern minItems maxItems uniqueItems minContains maxContains minProperties maxProperties"
).split(" ")

const OTHERS =
  "$schema $id $anchor $defs $comment $vocabulary $dynamicRef $dynamicAnchor $recursiveRef $recursiveAnchor if then else not format title " +
  "description default examples deprecated readOnly writeOnly contentEncoding contentMediaType contentSchema " +
  // Earlier drafts, and OpenAPI.
  "id definitions dependencies additionalItems divisibleBy disallow extends example nullable discriminator xml externalDocs"

const KNOWN: ReadonlySet<string> = new Set([...ASSERTIONS, ...OTHERS.split(" ")])

/** The keyword that is probably meant. */
export const meantKeyword = (key: string): string | undefined =>
  KNOWN.has(key) || key.startsWith("x-") ? undefined : nearest(key, ASSERTIONS)
