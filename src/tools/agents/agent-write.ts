// agent_write: checks an agent file and writes it to the catalog if it has no errors [F71].

import { authorTool } from "./author-write.ts"

export const agentWrite = authorTool(
  {
    name: "agent_write",
    label: "Write agent",
    description:
      "Check an agent file and write it to the catalog when it has no errors. Answers {written, path, diagnostics}: when written is false, correct what the diagnostics name and call again.",
    example: "agents/reviewer.md",
    format: "Markdown with YAML frontmatter (name, description, tools, …) and the system prompt as its body",
  },
  (author, path, content) => author.writeAgent(path, content),
)
