// A disk on which nothing can be committed, while something is tried in an object.

/** What the try failed with; "" when it did not fail. */
export async function withFullDisk(storage: DurableObjectStorage, act: () => Promise<unknown>): Promise<string> {
  const own = storage.transactionSync
  Object.defineProperty(storage, "transactionSync", {
    configurable: true,
    value: () => {
      throw new Error("disk full")
    },
  })
  const said = await act().then(
    () => "",
    (e: Error) => e.message,
  )
  Object.defineProperty(storage, "transactionSync", { configurable: true, value: own })
  return said
}
