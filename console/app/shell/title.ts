// The title of the tab: what waits for a person, then where the reader is. `(5) Inbox · Sluice`.

let where = ""
let waiting = 0

export function titled(place: string): void {
  where = place
  write()
}

export function titledWaiting(count: number): void {
  waiting = count
  write()
}

function write(): void {
  const count = waiting === 0 ? "" : `(${waiting}) `
  document.title = where === "" ? `${count}Sluice` : `${count}${where} · Sluice`
}
