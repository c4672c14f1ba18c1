// Creates the tables of a run's object. Each is created with its first row, because most runs need only one: a table costs a page of the
// object's database, and its schema is read with every wake-up.

export class RunTables {
  readonly #storage: DurableObjectStorage
  /** undefined: not read yet. */
  #known: Set<string> | undefined

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
  }

  has(name: string): boolean {
    return this.#all().has(name)
  }

  /** Within the transaction of the row that needs it. */
  make(name: string, columns: string): void {
    if (this.has(name)) return
    this.#storage.sql.exec(`CREATE TABLE IF NOT EXISTS ${name} ${columns}`)
    this.#all().add(name)
  }

  /** After a rollback, which takes tables away again, and when the object is emptied. */
  forget(): void {
    this.#known = undefined
  }

  #all(): Set<string> {
    const named = (): { name: string }[] =>
      this.#storage.sql.exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'").toArray()
    return (this.#known ??= new Set(named().map(({ name }) => name)))
  }
}
