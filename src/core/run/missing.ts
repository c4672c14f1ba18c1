// Lists the references of a hook's mapping that have no value in a delivery [F40]. The run begins without them; the hook's test, the
// delivery and the run show the list.

/** The list names at most this many references; a template of 20,000 characters may have a thousand. */
export const MOST_MISSING = 20 // limit: references without a value that a delivery and its run name → the others are not named

export const noValueIn = (missing: readonly string[]): string =>
  `the hook's mapping found no value for ${missing.map((expr) => `\${{${expr}}}`).join(", ")}: text is empty there, and an input that is nothing else is not given`
