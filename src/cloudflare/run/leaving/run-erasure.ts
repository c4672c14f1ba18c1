// Empties the storage of a run's object: all of it [N3], or all but the answer to an Idempotency-Key, which stays for 24 hours [H4].
//
// Rows that are deleted one by one leave their text in free pages of the database, which no statement can wipe. So everything is deleted,
// and the remaining row is written again in the same turn.

export async function emptied(storage: DurableObjectStorage, restore: () => void = () => undefined): Promise<void> {
  const at = await storage.getAlarm()
  await storage.deleteAlarm()
  try {
    const gone = storage.deleteAll()
    restore()
    await gone
  } catch (e) {
    // [J12] The disk is full, so its rows are still there: without its alarm nothing would ever wake it.
    if (at !== null) await storage.setAlarm(at)
    throw e
  }
}
