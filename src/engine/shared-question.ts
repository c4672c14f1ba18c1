// Merges equal requests that are made at the same time. Otherwise a hundred replies that arrive together would each ask the tenant's object
// for its rules when the cached answer is too old.

/** Equal requests share a pending answer. Use it within one object: in workerd, no object may settle a promise that another awaits. */
export function shared<Key, Value>(ask: (key: Key) => Promise<Value>): (key: Key) => Promise<Value> {
  const asked = new Map<Key, Promise<Value>>()
  return (key) => {
    const before = asked.get(key)
    if (before) return before
    const answer = ask(key).finally(() => asked.delete(key))
    asked.set(key, answer)
    return answer
  }
}
