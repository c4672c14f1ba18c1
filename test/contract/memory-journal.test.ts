import { MemoryJournal } from "../support/engine/memory-journal.ts"
import { journalContract } from "./journal.ts"

journalContract("memory", (body) => {
  const journal = new MemoryJournal()
  body(journal, () => journal)
})
