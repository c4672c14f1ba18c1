// Names what a local server puts into an empty data folder (local/first-run.ts), so that the console's first page can find it.

export const FIRST_RUN = {
  /** Its runs have this tag, and no other run has it by itself. */
  tag: "first-run",
  package: "demo",
  /** Ends at its last step; the package's newer version mends it. */
  failing: "demo:release-notes",
  /** Asks for an approval. */
  asking: "demo:deploy",
  /** Ends well. */
  ending: "triage",
} as const
