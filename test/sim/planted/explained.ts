// Explained: mutants that no law can find, each with why: there is a second defense, it only costs more, or nothing in this configuration reads it.
// The name is the mutator's, and a test fails when it has none of that name any more.

export const EXPLAINED: Readonly<Record<string, string>> = {}
