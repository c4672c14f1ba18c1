// Loads code at first use. Afterwards it is available synchronously: every `import()` is a promise, and concurrent requests would wait for
// each other's.

export function lazy<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: T | undefined
  return async () => (loaded ??= await load())
}
