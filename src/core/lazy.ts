// Code that is loaded when it is first needed. Once it is there, asking for it waits for nothing: every `import()` is a promise, and requests
// that come together would wait for each other's.

export function lazy<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: T | undefined
  return async () => (loaded ??= await load())
}
