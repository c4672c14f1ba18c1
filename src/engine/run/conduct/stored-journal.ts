// Reads the journal for effects, after storing decisions that are not stored yet.

import type { Journal } from "../../../ports/journal.ts"

export function storedJournal(journal: Journal, save: () => void): Journal {
  return {
    commit: (entry) => journal.commit(entry),
    read: (after, limit) => {
      save()
      return journal.read(after, limit)
    },
    pick: (seqs) => {
      const last = journal.last()
      if (seqs.some((seq) => seq > last)) save()
      return journal.pick(seqs)
    },
    state: (row) => journal.state(row),
    last: () => journal.last(),
    snapshot: () => journal.snapshot(),
    cuts: () => journal.cuts(),
    stat: (path) => journal.stat(path),
    list: (prefix) => journal.list(prefix),
  }
}
