// The tables of a run's object. Each is made with its first row, because most runs need one alone: a table costs a page of the object's
// database, and its schema is read with every wake-up.

export class RunTables {
  readonly #storage: DurableObjectStorage
  /** Name → the SQL that created the table; undefined: not read yet. */
  #known: Map<string, string> | undefined

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
  }

  has(name: string): boolean {
    return this.#all().has(name)
  }

  /** Does the table have this column? Runs of earlier builds may lack it. */
  hasColumn(name: string, column: string): boolean {
    return this.#all().get(name)?.includes(column) === true
  }

  /** Within the transaction of the row that needs it. */
  make(name: string, columns: string): void {
    if (this.has(name)) return
    this.#storage.sql.exec(`CREATE TABLE IF NOT EXISTS ${name} ${columns}`)
    this.#all().set(name, columns)
  }

  addColumn(name: string, column: string, type: string): void {
    this.#storage.sql.exec(`ALTER TABLE ${name} ADD COLUMN ${column} ${type}`)
    this.forget()
  }

  /** After a rollback, which takes tables and columns away again, and when the object is emptied. */
  forget(): void {
    this.#known = undefined
  }

  #all(): Map<string, string> {
    if (this.#known) return this.#known
    const rows = this.#storage.sql.exec<{ name: string; sql: string | null }>("SELECT name, sql FROM sqlite_master WHERE type = 'table'")
    this.#known = new Map(rows.toArray().map(({ name, sql }) => [name, sql ?? ""]))
    return this.#known
  }
}
