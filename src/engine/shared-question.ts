// Asks one question at a time. A hundred replies that arrive together would each ask the tenant's object for its rules, whenever the
// isolate's last answer is too old.

/** Callers that ask the same question while its answer is on the way share that answer. Use it within one object: workerd lets no object settle a
 *  promise that another one awaits. */
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
