// flow_write: checks a flow file against the catalog and writes it there if it has no errors [F71].

import { authorTool } from "./author-write.ts"

export const flowWrite = authorTool(
  {
    name: "flow_write",
    label: "Write flow",
    description:
      "Check a flow file, the agents it names included, and write it to the catalog when it has no errors. Answers {written, path, diagnostics}: when written is false, correct what the diagnostics name and call again.",
    example: "flows/review.yaml",
    format: "YAML with name, description and steps",
  },
  (author, path, content) => author.writeFlow(path, content),
)
