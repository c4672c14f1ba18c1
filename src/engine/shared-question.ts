// One question at a time. A hundred replies that land together would each ask the tenant's object for its rules, whenever the isolate's last answer
// is too old.

/** Whoever asks the same while an answer is on its way gets that answer. For the work of one object: what one object awaits, another must not settle. */
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
