// Empties the storage of a run's object: all of it [N3], or all but the answer to an Idempotency-Key, which stays for 24 hours [H4].

export async function emptied(storage: DurableObjectStorage, keep?: "answer"): Promise<void> {
  if (keep === undefined) {
    await storage.deleteAlarm()
    await storage.deleteAll()
    return
  }
  const { sql, kv } = storage
  storage.transactionSync(() => {
    const tables = sql.exec<{ name: string }>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'answer' AND name NOT LIKE '\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
    )
    // Tables are emptied, not dropped: a table cannot be dropped while a cursor on it is open, even a forgotten one.
    for (const { name } of tables.toArray()) sql.exec(`DELETE FROM "${name}"`)
    const keys = Array.from(kv.list(), ([key]) => key)
    for (const key of keys) kv.delete(key)
  })
  await storage.deleteAlarm()
}
