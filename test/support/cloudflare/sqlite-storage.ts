// The database of a Durable Object, over Node's SQLite: for tests that let many lives of an object pass.

import { DatabaseSync, type SQLInputValue } from "node:sqlite"

export function sqliteStorage(): DurableObjectStorage {
  const db = new DatabaseSync(":memory:")
  let depth = 0
  const storage = {
    sql: {
      exec(query: string, ...values: readonly SQLInputValue[]) {
        const rows = db.prepare(query).all(...values)
        return { toArray: () => rows.map((row) => ({ ...row })) }
      },
    },
    transactionSync<T>(work: () => T): T {
      const point = `p${depth++}`
      db.exec(`SAVEPOINT ${point}`)
      try {
        return work()
      } catch (e) {
        db.exec(`ROLLBACK TO ${point}`)
        throw e
      } finally {
        db.exec(`RELEASE ${point}`)
        depth--
      }
    },
  }
  return storage as unknown as DurableObjectStorage
}
